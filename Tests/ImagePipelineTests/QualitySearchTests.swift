import ImageCore
import Platform
import Testing

@testable import ImagePipeline

@Suite struct QualitySearchTests {
  /// Runs a search over measured values.
  ///
  /// - Returns: the ends, and the qualities in the order in which they were measured.
  private static func run(_ search: QualitySearch, _ measure: (Int) -> Double)
    -> (below: Int?, above: Int?, steps: [Int])
  {
    var search = search
    var steps: [Int] = []
    while let quality = search.next {
      #expect(!steps.contains(quality), "\(quality) is measured twice")
      #expect(search.likely(1) == [quality])
      #expect(search.likely(3).first == quality && Set(search.likely(3)).count == search.likely(3).count)
      steps.append(quality)
      search.add(measure(quality))
    }
    return (search.below?.quality, search.above?.quality, steps)
  }

  /// Sizes as those of a photograph: growth accelerates, with a jump at 90.
  private static func photograph(_ quality: Int) -> Int {
    Int(9_000 * exp(Double(quality) / 28)) + (quality >= 90 ? 40_000 : 0) + quality
  }

  static let curves: [(name: String, bytes: @Sendable (Int) -> Int)] = [
    ("photograph", { photograph($0) }), ("linear", { 100 * $0 }), ("flat", { _ in 5_000 }),
    ("stairs", { 1_000 * ($0 / 10) }), ("one jump", { $0 < 37 ? 10 : 1_000_000 }), ("last", { $0 < 100 ? 10 : 20 }),
  ]

  /// The found quality fits, the next does not, and there are few steps.
  @Test(arguments: curves.indices)
  func findsTheLargestThatFits(_ index: Int) {
    let (name, bytes) = Self.curves[index]
    var most = 0
    for limit in [1, 9_400, 10_000, 15_000, 54_321, 80_000, 123_456, 200_000, 300_000, 400_000, 10_000_000] {
      for start in [1, 50, 85, 100] {
        let found = Self.run(.size(1...100, start: start, byteCount: limit)) {
          QualitySearch.measure(byteCount: bytes($0))
        }
        let meant = (1...100).last { bytes($0) <= limit }
        #expect(found.below == meant, "\(name) at \(limit) from \(start)")
        #expect(found.above == (meant == 100 ? nil : (meant ?? 0) + 1))
        most = max(most, found.steps.count)
        #expect(found.steps.first == start)
      }
    }
    #expect(most <= (name == "photograph" ? 9 : 16), "\(name) takes \(most) steps")
  }

  @Test func findsTheLeastThatIsSimilar() {
    for target in [0.0, 0.5, 0.9, 0.98, 0.999, 1] {
      func similarity(_ quality: Int) -> Double { 1 - 0.6 * exp(-Double(quality) / 18) }
      let found = Self.run(.similarity(1...100, start: 85, target)) {
        QualitySearch.measure(similarity: similarity($0))
      }
      let meant = (1...100).first { similarity($0) >= target }
      #expect(found.above == meant, "\(target)")
      #expect(found.steps.count <= 9)
    }
  }

  /// A range of one quality, and one that does not begin at 1.
  @Test func smallRanges() {
    let one = Self.run(.size(7...7, start: 85, byteCount: 10)) { _ in QualitySearch.measure(byteCount: 20) }
    #expect(one == (nil, 7, [7]))
    let zero = Self.run(.size(0...3, start: 0, byteCount: 2)) { QualitySearch.measure(byteCount: $0 + 1) }
    #expect(zero.below == 1 && zero.above == 2)
  }

  /// Measures that jump up and down still end at a pair of neighbours, the lower one below.
  @Test func notMonotone() {
    var state: UInt64 = 7
    for _ in 0..<200 {
      let sizes = (0...100).map { quality in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return quality * 100 + Int(state >> 40) % 900
      }
      let found = Self.run(.size(1...100, start: 85, byteCount: 4_000)) {
        QualitySearch.measure(byteCount: sizes[$0])
      }
      #expect(found.below.map { sizes[$0] <= 4_000 } ?? true)
      #expect(found.above.map { sizes[$0] > 4_000 } ?? true)
      #expect((found.below ?? 0) + 1 == (found.above ?? 101))
    }
  }

  static let errors: [(QualityGoalError, String)] = [
    (
      .tooLarge(byteCount: 12_345, quality: 1, limit: 8_192),
      "at quality 1 the file still has 12345 bytes, and 'max_bytes' is 8192; resize the picture or allow more bytes"
    ),
    (
      .notReached(similarity: 0.998_98, quality: 100, target: 0.999),
      "quality 100 reaches a similarity of 0.9989, and 'target' is 0.999; lower the target or use a lossless format"
    ),
  ]

  @Test(arguments: errors)
  func words(_ error: QualityGoalError, _ text: String) {
    // A new case needs a row above.
    switch error {
    case .tooLarge, .notReached: #expect(error.description == text)
    }
  }
}
