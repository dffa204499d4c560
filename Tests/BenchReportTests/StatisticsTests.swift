import BenchReport
import Testing

@Suite struct StatisticsTests {
  static let medians: [([Double], Double)] = [
    ([3], 3), ([1, 9], 5), ([9, 1, 2], 2), ([4, 1, 3, 2], 2.5), ([1, 1, 100], 1),
  ]

  @Test(arguments: medians)
  func median(values: [Double], expected: Double) { #expect(values.median == expected) }

  @Test(arguments: [(99.0, 99.0), (100, 100), (1, 1), (0, 1), (50.5, 51)])
  func percentile(percent: Double, expected: Double) {
    #expect((1...100).map(Double.init).reversed().percentile(percent) == expected)
  }

  @Test(arguments: [
    (0.0111, "11.1 ms"), (0.09996, "100.0 ms"), (0.1, "0.10 s"), (2.345, "2.35 s"),
    (0.00014, "0.1 ms"), (0.00004, "40.0 \u{b5}s"), (0.0000000024, "2.4 ns"),
  ])
  func time(seconds: Double, text: String) { #expect(NumberText.time(seconds) == text) }

  @Test(arguments: [
    (0.125, 2, "0.13"), (1.0, 1, "1.0"), (-0.26, 1, "-0.3"), (-0.001, 2, "0.00"),
    (12.3456, 3, "12.346"),
  ])
  func decimal(value: Double, digits: Int, text: String) { #expect(NumberText.decimal(value, digits) == text) }

  @Test func memoryIsInMillions() {
    #expect(NumberText.memory(15_728_640) == "16 MB")
  }
}
