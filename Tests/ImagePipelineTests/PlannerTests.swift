import ImageCore
import Testing

@testable import ImagePipeline

@Suite struct PlannerTests {
  /// Never below twice the size the resize needs.
  @Test(arguments: [
    (4000, 1), (2001, 1), (1001, 1), (1000, 2), (501, 2), (500, 4), (251, 4), (250, 8), (1, 8),
  ])
  func shrinksInTheDecoder(_ width: Int, _ factor: Int) throws {
    var planner = Fake.planner()
    let picture = try Fake.apply(FakeOperation(width: width), Fake.file(FakeCodec(width: 4000, height: 3000)))
    let node = try planner.plan(picture)
    #expect(Fake.shrink(node) == factor)
    #expect(node.layout.width == width)
    #expect(node.nominal == [PictureLayout(width: 4000, height: 3000, format: .rgb8)])
    #expect(node.inputs[0].layout.width == 4000 / factor)
  }

  @Test func turningPassesTheShrinkOn() throws {
    var planner = Fake.planner()
    let turned = try Fake.apply(FakeOperation(turns: true), Fake.file(FakeCodec(width: 4001, height: 3000)))
    let node = try planner.plan(try Fake.apply(FakeOperation(width: 375), turned))
    #expect(Fake.shrink(node) == 4)
    #expect(node.inputs[0].layout == PictureLayout(width: 750, height: 1001, format: .rgb8))
  }

  @Test func anyOtherStepStopsIt() throws {
    var planner = Fake.planner()
    let other = try Fake.apply(FakeOperation(), Fake.file(FakeCodec(width: 4000, height: 3000)))
    #expect(Fake.shrink(try planner.plan(try Fake.apply(FakeOperation(width: 100), other))) == 1)
  }

  @Test func orientationComesWithTheFile() throws {
    var planner = Fake.planner()
    let picture = Fake.file(FakeCodec(width: 400, height: 300, orientation: .rotated90))
    #expect(try picture.info().layout.width == 300)
    let node = try planner.plan(try Fake.apply(FakeOperation(width: 30), picture))
    #expect(Fake.shrink(node) == 4)
    guard case .operation("auto_orient", _, _) = node.inputs[0].step else {
      Issue.record("the file is not turned")
      return
    }
    #expect(node.inputs[0].layout == PictureLayout(width: 75, height: 100, format: .rgb8))
  }

  /// Rows that are drawn or filtered at their size need no margin.
  @Test(arguments: [(2001, 1), (2000, 2), (1001, 2), (1000, 4), (500, 8), (1, 8)])
  func fineShrinks(_ width: Int, _ factor: Int) throws {
    var planner = Fake.planner()
    let file = Fake.file(FakeCodec(width: 4000, height: 3000, hasFineShrinks: true))
    #expect(Fake.shrink(try planner.plan(try Fake.apply(FakeOperation(width: width), file))) == factor)
  }

  /// Low-pass bands of wavelets leave four times the pixels needed, and say where they are.
  @Test(arguments: [(1000, 1), (501, 1), (500, 2), (250, 4), (125, 8), (1, 8)])
  func cositedShrinks(_ width: Int, _ factor: Int) throws {
    var planner = Fake.planner()
    let file = Fake.file(FakeCodec(width: 4000, height: 3000, hasCositedShrinks: true))
    let node = try planner.plan(try Fake.apply(FakeOperation(width: width), file))
    #expect(Fake.shrink(node) == factor)
    guard factor > 1 else { return }
    #expect(Fake.shrinkOnLoad(node) == ShrinkOnLoad(factor: factor, lead: .cosited(factor: factor)))
  }

  /// Nor do pictures that are only measured, turned or not; the pixels beside a part would count.
  @Test(arguments: [(2001, 1), (2000, 2), (1001, 2), (1000, 4), (500, 8), (1, 8)])
  func coarseShrinks(_ width: Int, _ factor: Int) throws {
    var planner = Fake.planner()
    let upright = Fake.file(FakeCodec(width: 4000, height: 3000))
    let turned = try Fake.apply(FakeOperation(turns: true), Fake.file(FakeCodec(width: 3000, height: 4000)))
    for picture in [upright, turned] {
      let end = try Fake.apply(FakeOperation(width: width, isCoarse: true), picture)
      #expect(Fake.shrink(try planner.plan(end)) == factor)
    }
    let part = try Fake.apply(FakeOperation(cut: Region(left: 0, top: 0, width: 2000, height: 2000)), upright)
    let end = try Fake.apply(FakeOperation(width: width, isCoarse: true), part)
    #expect((Fake.shrink(try planner.plan(end)) ?? 0) <= max(1, factor / 2))
  }

  /// A planner that knows of no other pictures decodes each at its own scale; what is the same is made once.
  @Test func sharesWhatIsTheSame() throws {
    var planner = Fake.planner()
    let source = Fake.file(FakeCodec(width: 4000, height: 3000))
    let small = try Fake.apply(FakeOperation(width: 100), source)
    let nodes = [
      try planner.plan(small), try planner.plan(try Fake.apply(FakeOperation(width: 900), source)),
      try planner.plan(try Fake.apply(FakeOperation(), small)), try planner.plan(small),
    ]
    #expect(nodes.map(Fake.shrink) == [8, 2, 8, 8])
    #expect(nodes[2].inputs[0] === nodes[0] && nodes[3] === nodes[0])
    #expect(planner.consumers[ObjectIdentifier(nodes[0])] == 3)
    #expect(planner.consumers[ObjectIdentifier(nodes[1])] == 1)
  }

  /// Neither the time nor the bytes double where a picture is joined with itself.
  @Test func joinsAreLookedAtOnce() throws {
    var planner = Fake.planner()
    var picture = try Fake.apply(FakeOperation(), Fake.file(FakeCodec(width: 40, height: 30)))
    for _ in 0..<60 { picture = try Fake.apply(FakeOperation(), picture, over: [picture]) }
    let node = try planner.plan(picture)
    var memory = PlanMemory(consumers: planner.consumers)
    _ = memory.add(node)
    #expect(memory.depth == 62)
    let frame = PixelBuffer.byteCount(PictureLayout(width: 40, height: 30, format: .rgb8))
    // All but the last are kept, the file's own rows flow into the first.
    #expect(memory.keptByteCount == 60 * frame)
    #expect(PlanText.chain(node).count < 10_000)
  }

  @Test func deepChains() throws {
    var planner = Fake.planner()
    var picture = Fake.file(FakeCodec(width: 4000, height: 3000))
    var all = [picture]
    for _ in 0..<5000 {
      picture = try Fake.apply(FakeOperation(turns: true), picture)
      all.append(picture)
    }
    picture = try Fake.apply(FakeOperation(width: 100), picture)
    let node = try planner.plan(picture)
    #expect(Fake.shrink(node) == 8 && picture.depth == 5002)
    // Let go from the end, as the script's session does.
    while all.popLast() != nil {}
  }
}
