import Testing

@testable import ImagePipeline

/// The conditions under which a page that is stored without encoding has to wait for earlier pages.
@Suite struct BackpressureTests {
  @Test(arguments: [
    ("the next page", 0, 1_000, true, nil),
    ("few wait", 5, 23, true, nil),
    ("one is being written", 5, 24, true, Backpressure.writing),
    ("one takes long", 128, 24, false, .heldUp),
    ("the second page of a file", 3_000, 24, false, .farAhead),
    ("the same while one is written", 3_000, 24, true, .farAhead),
  ])
  func twoWorkers(name: String, distance: Int, waiting: Int, isWriting: Bool, expected: Backpressure?) {
    let backpressure = Backpressure(distance: distance, waiting: waiting, isWriting: isWriting, workers: 2)
    #expect(backpressure == expected, "\(name)")
  }
}
