import Testing

@testable import RunTrace

@Suite struct QuantityTests {
  @Test(arguments: [
    (0, "0 µs"), (85_400, "85 µs"), (999_499, "999 µs"), (999_500, "1.0 ms"),
    (12_440_000, "12.4 ms"), (234_000_000, "234 ms"), (1_534_000_000, "1.53 s"),
    (75_250_000_000, "75.3 s"),
  ])
  func times(_ nanoseconds: Int, _ text: String) { #expect(Quantity.time(nanoseconds) == text) }

  @Test(arguments: [
    (12, "12 B"), (1500, "2 kB"), (1_234_567, "1.2 MB"), (85_000_000, "85 MB"),
    (1_250_000_000, "1.3 GB"),
  ])
  func bytes(_ count: Int, _ text: String) { #expect(Quantity.bytes(count) == text) }

  @Test func counts() {
    #expect(Quantity.count(1, "step") == "1 step")
    #expect(Quantity.count(12_345, "step") == "12,345 steps")
    #expect(Quantity.grouped(-1_000_000) == "-1,000,000")
    #expect(Quantity.decimal(-0.001, 2) == "0.00")
    #expect(Quantity.decimal(.infinity, 1) == "0")
  }
}
