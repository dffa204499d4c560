import ImageCore
import Testing

@testable import ImagePipeline

@Suite struct SharedShrinksTests {
  private func shrinks(_ ends: [Picture], frames: [ObjectIdentifier: SharedFrame] = [:]) -> SharedShrinks {
    SharedShrinks(ends, sharedFrames: frames, kept: [:])
  }

  /// The factors at which pictures are decoded that one planner plans.
  private func factors(_ ends: [Picture]) throws -> [Int?] {
    var planner = Fake.planner(ends, sharing: shrinks(ends))
    return try ends.map { Fake.shrink(try planner.plan($0)) }
  }

  @Test func theSmallestFactorIsForAll() throws {
    let source = Fake.file(FakeCodec(width: 4000, height: 3000))
    let ends = try [100, 900, 450].map { try Fake.apply(FakeOperation(width: $0), source) }
    #expect(try factors(ends) == [2, 2, 2])
    #expect(try factors([ends[0]]) == [8])
    #expect(try factors([ends[0], ends[0]]) == [8, 8])
  }

  /// All are made of one node, which is kept while the task runs.
  @Test func theFileIsDecodedOnce() throws {
    let source = Fake.file(FakeCodec(width: 4000, height: 3000))
    let ends = try [100, 900].map { try Fake.apply(FakeOperation(width: $0), source) }
    var planner = Fake.planner(ends, sharing: shrinks(ends))
    let nodes = try ends.map { try planner.plan($0) }
    #expect(nodes[0].inputs[0] === nodes[1].inputs[0])
    #expect(planner.consumers[ObjectIdentifier(nodes[0].inputs[0])] == 2)
  }

  @Test func eachFileHasItsOwn() throws {
    let ends = try [(0, 100), (1, 900)].map { index, width in
      try Fake.apply(FakeOperation(width: width), Fake.file(FakeCodec(width: 4000, height: 3000 + index)))
    }
    #expect(try factors(ends) == [8, 2])
  }

  /// Rows of 15,000 x 12,000 pixels would take 540 MB.
  @Test func largePicturesAreDecodedAgain() throws {
    let source = Fake.file(FakeCodec(width: 15_000, height: 12_000))
    #expect(try factors([100, 5_000].map { try Fake.apply(FakeOperation(width: $0), source) }) == [8, 1])
    // At one half they take 135 MB, at a quarter 34 MB.
    #expect(try factors([100, 1_500].map { try Fake.apply(FakeOperation(width: $0), source) }) == [4, 4])
  }

  /// A picture that is made by itself and laid over others is decoded at its own scale.
  @Test func picturesAmongArguments() throws {
    let source = Fake.file(FakeCodec(width: 4000, height: 3000))
    let (small, large) = (
      try Fake.apply(FakeOperation(width: 100), source), try Fake.apply(FakeOperation(width: 900), source)
    )
    let joined = try Fake.apply(FakeOperation(), large, over: [small])
    #expect(shrinks([joined]).factor(of: source) == 2)
    let frame = SharedFrame(made: PixelBuffer(try small.info().layout), of: small)
    #expect(shrinks([joined], frames: [ObjectIdentifier(small): frame]).factor(of: source) == nil)
  }
}
