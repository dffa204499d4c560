import ImageCore
import Testing

@testable import ImagePipeline

/// Pictures that a script describes twice: both descriptions share one picture.
struct EqualPicturesTests {
  private let codec = FakeCodec(width: 400, height: 300)

  private func arguments(_ sigma: Double) throws -> Arguments {
    try Arguments(
      RawArguments(positional: [.number(sigma)]),
      parameters: [ParameterDescriptor("sigma", .number(0...10), help: "")],
      positionalCount: 1)
  }

  private func blurred(_ picture: Picture, _ sigma: Double, named name: String = "blur") throws -> Picture {
    Picture(.operation(name: name, FakeOperation(), try arguments(sigma)), inputs: [picture], position: nil)
  }

  @Test func equalCallsOnTheSameFileAreOne() throws {
    let file = Fake.file(codec)
    guard case .source(let origin, _, _) = file.step else { return }
    let again = Picture(.source(origin, orient: true, acceptsDamage: false), position: nil, origin: origin)
    var equal = EqualPictures()
    let first = try blurred(blurred(file, 2), 3)
    #expect(equal.representative(of: first) === first)
    #expect(equal.representative(of: try blurred(blurred(again, 2), 3)) === first)
    #expect(equal.representative(of: again) === file)
  }

  @Test func whatDiffersStaysApart() throws {
    let file = Fake.file(codec)
    guard case .source(let origin, _, _) = file.step else { return }
    var equal = EqualPictures()
    let first = try blurred(file, 2)
    _ = equal.representative(of: first)
    let unturned = Picture(.source(origin, orient: false, acceptsDamage: false), position: nil, origin: origin)
    for other in [
      try blurred(file, 2.5), try blurred(file, 2, named: "sharpen"),
      try blurred(unturned, 2), try blurred(Fake.file(codec), 2), try blurred(first, 2),
    ] {
      #expect(equal.representative(of: other) === other)
    }
  }

  @Test func aPictureOverEqualOnesIsMadeOfTheFirst() throws {
    let file = Fake.file(codec)
    var equal = EqualPictures()
    let mark = try blurred(file, 1)
    let first = try Fake.apply(FakeOperation(), file, over: [mark])
    #expect(equal.representative(of: first) === first)
    let second = try Fake.apply(FakeOperation(turns: true), file, over: [blurred(file, 1)])
    let stands = equal.representative(of: second)
    #expect(stands !== second && stands.inputs[1] === mark)
  }

  @Test func aChainOfThousandsFillsNoStack() throws {
    var (one, two) = (Fake.file(codec), Fake.file(codec))
    two = one
    var chain: [Picture] = []
    for _ in 0..<9_000 {
      one = try blurred(one, 1)
      two = try blurred(two, 1)
      chain += [one, two]
    }
    var equal = EqualPictures()
    #expect(equal.representative(of: one) === one && equal.representative(of: two) === one)
    equal = EqualPictures()
    // The last first, as a session does it.
    (one, two) = (chain[0], chain[0])
    while chain.popLast() != nil {}
  }

  @Test func picturesOfFilesOfTheirOwnNeedNoLooking() throws {
    let files = (0..<5).map { _ in Fake.file(codec) }
    #expect(EqualPictures.areAllDifferent(try files.map { try blurred($0, 1) }))
    #expect(!EqualPictures.areAllDifferent([files[0], try blurred(files[0], 1)]))
    #expect(
      !EqualPictures.areAllDifferent([try Fake.apply(FakeOperation(), files[0], over: [files[1]])]))
  }
}
