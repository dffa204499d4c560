import Platform

/// A search for the quality at which a measure, which rises with the quality, passes a limit.
///
/// `next` is the next quality to measure. The order depends only on the measures, never on the number of workers, so
/// that every run ends at the same quality. Idle workers may measure `likely` qualities in advance.
///
/// A search ends at two neighbouring qualities, one measured below the limit and one above, or at an end of the range.
/// If file sizes do not rise at every step of quality, other such pairs may exist.
struct QualitySearch {
  struct Point: Equatable {
    let quality: Int
    let measure: Double
  }

  private let qualities: ClosedRange<Int>
  private let start: Int
  private let limit: Double
  /// Whether a measure equal to the limit counts as below.
  private let isBelowAtLimit: Bool
  /// The highest quality known to be below the limit; nil for none yet.
  private(set) var below: Point?
  /// The lowest quality known to be above the limit; nil for none yet.
  private(set) var above: Point?
  /// The number of consecutive steps that did not halve the range.
  private var slowSteps = 0

  /// Makes a search for the highest quality whose file is not too large.
  static func size(_ qualities: ClosedRange<Int>, start: Int, byteCount: Int) -> Self {
    Self(qualities: qualities, start: start, limit: measure(byteCount: byteCount), isBelowAtLimit: true)
  }

  /// Makes a search for the lowest quality that is similar enough.
  static func similarity(_ qualities: ClosedRange<Int>, start: Int, _ target: Double) -> Self {
    Self(qualities: qualities, start: start, limit: measure(similarity: target), isBelowAtLimit: false)
  }

  /// Returns the logarithm of the size, which rises more evenly with the quality than the size does.
  static func measure(byteCount: Int) -> Double { log(Double(max(1, byteCount))) }
  static func measure(similarity: Double) -> Double { -log(max(1e-12, 1 - similarity)) }

  private init(qualities: ClosedRange<Int>, start: Int, limit: Double, isBelowAtLimit: Bool) {
    self.qualities = qualities
    self.start = min(max(start, qualities.lowerBound), qualities.upperBound)
    self.limit = limit
    self.isBelowAtLimit = isBelowAtLimit
  }

  /// The quality to measure next; nil at the end.
  var next: Int? {
    let low = below?.quality ?? qualities.lowerBound - 1
    let high = above?.quality ?? qualities.upperBound + 1
    guard high - low > 1 else { return nil }
    guard below != nil || above != nil else { return start }
    let middle = low + (high - low) / 2
    guard let below, let above, above.measure > below.measure, slowSteps < 2 else { return middle }
    let part = (limit - below.measure) / (above.measure - below.measure)
    return min(max(low + Int(part * Double(high - low)), low + 1), high - 1)
  }

  /// Adds the measure of the quality in `next`.
  mutating func add(_ measure: Double) {
    guard let quality = next else { preconditionFailure("a search that has ended goes on") }
    let point = Point(quality: quality, measure: measure)
    let isBelow = isBelowAtLimit ? measure <= limit : measure < limit
    let wasBracketed = below != nil && above != nil
    let range = (above?.quality ?? 0) - (below?.quality ?? 0)
    if isBelow { below = point } else { above = point }
    guard wasBracketed, let below, let above else { return }
    slowSteps = 2 * (above.quality - below.quality) > range ? slowSteps + 1 : 0
  }

  /// Returns the next quality and those likely to follow it, the most likely first.
  func likely(_ count: Int) -> [Int] {
    var found: [Int] = []
    // Both outcomes of each step are followed. The unknown measure is assumed to equal the limit.
    var searches = [self]
    while found.count < count, !searches.isEmpty {
      let search = searches.removeFirst()
      guard let quality = search.next else { continue }
      if !found.contains(quality) { found.append(quality) }
      let (lower, higher) = (search.stepped(isBelow: true), search.stepped(isBelow: false))
      // The first file is usually too large, or similar enough; the following qualities usually approach the limit from
      // below.
      searches += search.below == nil && search.above == nil ? [higher, lower] : [lower, higher]
    }
    return found
  }

  private func stepped(isBelow: Bool) -> Self {
    var search = self
    let toBelow = isBelowAtLimit ? limit : limit.nextDown
    let toAbove = isBelowAtLimit ? limit.nextUp : limit
    search.add(isBelow ? toBelow : toAbove)
    return search
  }
}
