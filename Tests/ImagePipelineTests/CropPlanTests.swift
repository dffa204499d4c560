import ImageCore
import Testing

@testable import ImagePipeline

/// A crop before a resize is done by the decoder, at a reduced size.
@Suite struct CropPlanTests {
  private func cut(_ left: Int, _ top: Int, _ width: Int, _ height: Int, of picture: Picture) throws -> Picture {
    let region = Region(left: left, top: top, width: width, height: height)
    return try Fake.apply(FakeOperation(cut: region), picture)
  }

  private func resized(_ picture: Picture, _ width: Int) throws -> Picture {
    try Fake.apply(FakeOperation(width: width), picture)
  }

  private func plan(_ pictures: Picture...) throws -> [PlanNode] {
    var planner = Fake.planner(pictures)
    return try pictures.map { try planner.plan($0) }
  }

  private let photograph = FakeCodec(width: 4001, height: 3001)

  /// The rows cover the part; the resize is told where in them it lies.
  @Test func decodesThePartAtAFraction() throws {
    let part = try cut(1001, 402, 1600, 1205, of: Fake.file(photograph))
    let node = try plan(try resized(part, 200))[0]
    #expect(
      Fake.options(node)
        == DecodeOptions(shrink: 4, region: Region(left: 250, top: 100, width: 401, height: 302)))
    #expect(Fake.shrinkOnLoad(node) == ShrinkOnLoad(factor: 4, left: 1, top: 2))
    #expect(node.nominal == [PictureLayout(width: 1600, height: 1205, format: .rgb8)])
    #expect(node.inputs[0].layout == PictureLayout(width: 401, height: 302, format: .rgb8))
    guard case .decode = node.inputs[0].step else {
      Issue.record("there is a step between the decoder and the resize")
      return
    }
  }

  /// The last rows and columns of a fraction stand for fewer pixels.
  @Test func partsAtTheEdges() throws {
    let part = try cut(2401, 1801, 1600, 1200, of: Fake.file(photograph))
    let node = try plan(try resized(part, 200))[0]
    #expect(
      Fake.options(node)?.region == Region(left: 600, top: 450, width: 401, height: 301))
    #expect(Fake.shrinkOnLoad(node) == ShrinkOnLoad(factor: 4, left: 1, top: 1))
    let all = try cut(0, 0, 4001, 3001, of: Fake.file(photograph))
    let whole = try plan(try resized(all, 500))[0]
    #expect(Fake.options(whole) == DecodeOptions(shrink: 4))
  }

  /// Small results are mostly edge.
  @Test(arguments: [
    (1600, 800, 1), (1600, 401, 1), (1600, 400, 2), (1600, 200, 4), (1600, 100, 8), (1600, 48, 8),
    (1600, 47, 8), (600, 48, 4), (600, 40, 2), (600, 16, 8), (600, 15, 1),
  ])
  func fewerPixelsComeLarger(_ side: Int, _ width: Int, _ factor: Int) throws {
    let part = try cut(3, 3, side, side, of: Fake.file(photograph))
    #expect(Fake.shrink(try plan(try resized(part, width))[0]) == factor)
  }

  @Test func cutsOfCutsAndTurns() throws {
    // 3001x4001 as seen, turned again by the script, cut before and after.
    let codec = FakeCodec(width: 4001, height: 3001, orientation: .rotated90)
    let first = try cut(101, 203, 2500, 3000, of: Fake.file(codec))
    let turned = try Fake.apply(FakeOperation(turns: true), first)
    let second = try cut(10, 20, 2800, 2400, of: turned)
    let node = try plan(try resized(second, 350))[0]
    // Seen: columns 121..<2521, rows 393..<3193 of the first turn's 3001x4001.
    // Stored: columns 393..<3193, rows 3001 - 2521 ..< 3001 - 121.
    #expect(
      Fake.options(node)
        == DecodeOptions(shrink: 4, region: Region(left: 98, top: 120, width: 701, height: 600)))
    #expect(node.inputs[0].layout == PictureLayout(width: 701, height: 600, format: .rgb8))
    // Two quarter turns: the rows end at column 3196 and row 2880 of the file.
    #expect(Fake.shrinkOnLoad(node) == ShrinkOnLoad(factor: 4, left: 3, top: 0))
  }

  /// An area that several crops need is decoded once, and nothing beyond it.
  @Test func severalParts() throws {
    let source = Fake.file(photograph)
    let parts = [
      try cut(400, 400, 800, 800, of: source), try cut(1000, 100, 800, 803, of: source),
    ]
    let nodes = try plan(try resized(parts[0], 100), try resized(parts[1], 100))
    for node in nodes {
      #expect(
        Fake.options(node)
          == DecodeOptions(shrink: 4, region: Region(left: 100, top: 25, width: 350, height: 275)))
    }
    #expect(nodes[0].inputs[0].inputs[0] === nodes[1].inputs[0].inputs[0])
    let rows = nodes.map { node -> Region? in
      if case .cut(_, let region, _) = node.inputs[0].step { return region }
      return nil
    }
    #expect(rows[0] == Region(left: 0, top: 75, width: 200, height: 200))
    #expect(rows[1] == Region(left: 150, top: 0, width: 200, height: 201))
  }

  /// The planned memory is that of the decoder's output, not of the file's picture.
  @Test func memoryIsThatOfWhatIsDecoded() throws {
    let source = Fake.file(photograph)
    let parts = [
      try resized(try cut(400, 400, 800, 800, of: source), 100),
      try resized(try cut(1000, 100, 800, 803, of: source), 100),
    ]
    var planner = Fake.planner(parts)
    let nodes = try parts.map { try planner.plan($0) }
    var memory = PlanMemory(consumers: planner.consumers)
    let flows = nodes.map { memory.add($0) }
    let decoded = PictureLayout(width: 350, height: 275, format: .rgb8)
    #expect(memory.keptByteCount == PixelBuffer.byteCount(decoded))
    let rows = 16 * decoded.rowByteCount
    // The resize and the cut, of the rows that are kept.
    #expect(flows.allSatisfy { (1000 + rows..<1000 + 2 * rows).contains($0) })
    // One crop alone: rows of 200 pixels in the decoder.
    planner = Fake.planner([parts[0]])
    memory = PlanMemory(consumers: [:])
    #expect(memory.add(try planner.plan(parts[0])) == 1000 + 200 * 3 * 32 + 256 << 10)
    #expect(memory.keptByteCount == 0)
  }

  /// Each fraction is a decoder of its own, which makes what that fraction needs.
  @Test func partsAtSeveralFractions() throws {
    let source = Fake.file(photograph)
    let part = try cut(400, 400, 800, 800, of: source)
    let nodes = try plan(try resized(part, 100), try resized(part, 200), try resized(source, 300), part)
    #expect(nodes.map { Fake.options($0)?.shrink } == [4, 2, 4, 1])
    let region = { (index: Int) in Fake.options(nodes[index])?.region }
    // At a quarter somebody else needs all.
    #expect(region(0) == nil && region(2) == nil)
    #expect(region(1) == Region(left: 200, top: 200, width: 400, height: 400))
    #expect(region(3) == Region(left: 400, top: 400, width: 800, height: 800))
  }

  /// Steps that look at pixels get the part as it is.
  @Test func otherStepsGetAllPixels() throws {
    let part = try cut(401, 401, 800, 800, of: Fake.file(photograph))
    let node = try plan(try resized(try Fake.apply(FakeOperation(), part), 100))[0]
    #expect(
      Fake.options(node)
        == DecodeOptions(region: Region(left: 401, top: 401, width: 800, height: 800)))
    #expect(Fake.shrinkOnLoad(node) == .off)
  }

  /// A cut of what has been made is a step like any other.
  @Test func cutsBehindAResize() throws {
    let small = try resized(Fake.file(photograph), 400)
    let node = try plan(try cut(10, 10, 50, 50, of: small))[0]
    #expect(Fake.options(node) == DecodeOptions(shrink: 4))
    guard case .operation = node.step else {
      Issue.record("the cut is gone")
      return
    }
  }

  @Test func turnedParts() {
    // 9x5 pixels at (3, 2) of rows of 5x3 that stand for 20x12.
    let shrink = ShrinkOnLoad(factor: 4, left: 3, top: 2)
    let nominal = PictureLayout(width: 9, height: 5, format: .rgb8)
    let rows = PictureLayout(width: 5, height: 3, format: .rgb8)
    let corners = Orientation.allCases.map { turning in
      let turned = shrink.turned(turning, nominal: nominal, rows: rows)
      return [turned.left, turned.top]
    }
    // Left to right: 3, 9, 8; top to bottom: 2, 5, 5.
    #expect(
      corners == [[3, 2], [8, 2], [8, 5], [3, 5], [2, 3], [5, 3], [5, 8], [2, 8]])
  }
}
