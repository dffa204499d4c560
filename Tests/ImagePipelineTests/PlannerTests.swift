import ImageCore
import Testing

@testable import ImagePipeline

/// A picture of a given size that a decoder can shrink by 2, 4 and 8. Nothing is ever decoded.
private struct FakeCodec: PictureCodec {
  let width: Int
  let height: Int
  var orientation = Orientation.upright
  var name: String { "fake" }
  var extensions: [String] { ["fake"] }
  var saveParameters: [ParameterDescriptor] { [] }

  func recognises(_ prefix: [UInt8]) -> Bool { true }
  func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader {
    PictureHeader(
      codec: name, layout: PictureLayout(width: width, height: height, format: .rgb8),
      metadata: PictureMetadata(orientation: orientation), shrinkFactors: [2, 4, 8])
  }
  func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    throw .codec(.truncated)
  }
  func encodedLayout(for layout: PictureLayout) -> PictureLayout { layout }
  func makeEncoder(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments
  ) throws(PictureError) -> any PictureEncoder {
    throw .codec(.cannotEncode("it is not one"))
  }
}

/// Makes a picture of a given size; or turns it, working on a shrunk one as well.
private struct FakeOperation: PictureOperation {
  var width: Int?
  var turns = false

  func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let input = inputs[0]
    if turns { return input.with(width: input.height, height: input.width) }
    return width.map { input.with(width: $0, height: max(1, input.height * $0 / input.width)) }
      ?? input
  }
  func shrinkTolerance(of input: PictureLayout) -> Double {
    width.map { max(1, Double(input.width) / Double($0)) } ?? 1
  }
  var isShrinkTransparent: Bool { turns }
  func workingByteCount(for inputs: [PictureLayout]) -> Int { 1000 }
  func open(_ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    inputs[0]
  }
}

@Suite struct PlannerTests {
  private func file(_ codec: FakeCodec) -> Picture {
    // Any file will do: the codec makes its header up.
    let file = PictureFile(
      path: #filePath, codecs: KnownCodecs { _ throws(PictureError) in codec })
    return Picture(.source(file, orient: true, acceptsDamage: false), position: nil, origin: file)
  }

  private func apply(_ operation: FakeOperation, _ picture: Picture, over: [Picture] = []) throws
    -> Picture
  {
    let arguments = try Arguments(RawArguments(), parameters: [], positionalCount: 0)
    return Picture(
      .operation(name: "fake", operation, arguments), inputs: [picture] + over, position: nil)
  }

  private func planner() -> Planner {
    Planner(orient: { _ in FakeOperation(turns: true) }, sharedFrames: [:])
  }

  private func shrink(_ node: PlanNode) -> Int? {
    var node = node
    while let first = node.inputs.first { node = first }
    if case .decode(_, _, let options) = node.step { return options.shrink }
    return nil
  }

  /// Never below twice the size the resize needs.
  @Test(arguments: [
    (4000, 1), (2001, 1), (1001, 1), (1000, 2), (501, 2), (500, 4), (251, 4), (250, 8), (1, 8),
  ])
  func shrinksInTheDecoder(_ width: Int, _ factor: Int) throws {
    var planner = planner()
    let picture = try apply(
      FakeOperation(width: width), file(FakeCodec(width: 4000, height: 3000)))
    let node = try planner.plan(picture)
    #expect(shrink(node) == factor)
    #expect(node.layout.width == width)
    #expect(node.nominal == [PictureLayout(width: 4000, height: 3000, format: .rgb8)])
    #expect(node.inputs[0].layout.width == 4000 / factor)
  }

  @Test func turningPassesTheShrinkOn() throws {
    var planner = planner()
    let turned = try apply(
      FakeOperation(turns: true), file(FakeCodec(width: 4001, height: 3000)))
    let node = try planner.plan(try apply(FakeOperation(width: 375), turned))
    #expect(shrink(node) == 4)
    #expect(node.inputs[0].layout == PictureLayout(width: 750, height: 1001, format: .rgb8))
  }

  @Test func anyOtherStepStopsIt() throws {
    var planner = planner()
    let other = try apply(FakeOperation(), file(FakeCodec(width: 4000, height: 3000)))
    #expect(shrink(try planner.plan(try apply(FakeOperation(width: 100), other))) == 1)
  }

  @Test func orientationComesWithTheFile() throws {
    var planner = planner()
    let picture = file(FakeCodec(width: 400, height: 300, orientation: .rotated90))
    #expect(try picture.info().layout.width == 300)
    let node = try planner.plan(try apply(FakeOperation(width: 30), picture))
    #expect(shrink(node) == 4)
    guard case .operation("auto_orient", _, _) = node.inputs[0].step else {
      Issue.record("the file is not turned")
      return
    }
    #expect(node.inputs[0].layout == PictureLayout(width: 75, height: 100, format: .rgb8))
  }

  /// Two sizes of one file are decoded each at its own scale; what is the same is made once.
  @Test func sharesWhatIsTheSame() throws {
    var planner = planner()
    let source = file(FakeCodec(width: 4000, height: 3000))
    let small = try apply(FakeOperation(width: 100), source)
    let nodes = [
      try planner.plan(small), try planner.plan(try apply(FakeOperation(width: 900), source)),
      try planner.plan(try apply(FakeOperation(), small)), try planner.plan(small),
    ]
    #expect(nodes.map(shrink) == [8, 2, 8, 8])
    #expect(nodes[2].inputs[0] === nodes[0] && nodes[3] === nodes[0])
    #expect(planner.consumers[ObjectIdentifier(nodes[0])] == 3)
    #expect(planner.consumers[ObjectIdentifier(nodes[1])] == 1)
  }

  /// Neither the time nor the bytes double where a picture is joined with itself.
  @Test func joinsAreLookedAtOnce() throws {
    var planner = planner()
    var picture = try apply(FakeOperation(), file(FakeCodec(width: 40, height: 30)))
    for _ in 0..<60 { picture = try apply(FakeOperation(), picture, over: [picture]) }
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
    var planner = planner()
    var picture = file(FakeCodec(width: 4000, height: 3000))
    var all = [picture]
    for _ in 0..<5000 {
      picture = try apply(FakeOperation(turns: true), picture)
      all.append(picture)
    }
    picture = try apply(FakeOperation(width: 100), picture)
    let node = try planner.plan(picture)
    #expect(shrink(node) == 8 && picture.depth == 5002)
    // Let go from the end, as the script's session does.
    while all.popLast() != nil {}
  }
}
