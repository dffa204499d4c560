import Testing

@testable import ImagePipeline

/// When a page that is a file's own bytes gives way to those before it.
@Suite struct BookCrowdTests {
  @Test(arguments: [
    ("the next page", 0, 1_000, true, nil),
    ("few wait", 5, 23, true, nil),
    ("one is being written", 5, 24, true, BookAssembler.Crowd.isWritten),
    ("one takes long", 128, 24, false, .isHeldUp),
    ("the second page of a file", 3_000, 24, false, .isFarAhead),
    ("the same while one is written", 3_000, 24, true, .isFarAhead),
  ])
  func ofTwoWorkers(
    name: String, distance: Int, waiting: Int, isWriting: Bool, expected: BookAssembler.Crowd?
  ) {
    let crowd = BookAssembler.Crowd(
      distance: distance, waiting: waiting, isWriting: isWriting, workers: 2)
    #expect(crowd == expected, "\(name)")
  }
}
