/// Finds the common elements of two sequences, in order: first those that are equal at both ends, then elements that
/// occur once on each side, then recursively between those (Bram Cohen's "patience diff").
///
/// Takes O(n log n) time if most elements differ from each other, in any order.
enum CommonOrder {
  /// Returns pairs of indices.
  static func pairs<Element: Hashable>(_ left: [Element], _ right: [Element]) -> [(Int, Int)] {
    var result: [(Int, Int)] = []
    var open = [(left.indices, right.indices)]
    while var (a, b) = open.popLast() {
      while let x = a.first, let y = b.first, left[x] == right[y] {
        result.append((x, y))
        (a, b) = (a.dropFirst(), b.dropFirst())
      }
      while let x = a.last, let y = b.last, left[x] == right[y] {
        result.append((x, y))
        (a, b) = (a.dropLast(), b.dropLast())
      }
      guard !a.isEmpty, !b.isEmpty else { continue }
      let anchors = anchors(left, a, right, b)
      guard !anchors.isEmpty else { continue }
      result += anchors
      var (x, y) = (a.lowerBound, b.lowerBound)
      for anchor in anchors + [(a.upperBound, b.upperBound)] {
        open.append((x..<anchor.0, y..<anchor.1))
        (x, y) = (anchor.0 + 1, anchor.1 + 1)
      }
    }
    return result
  }

  /// Returns elements that occur once in both ranges, as many as have a common order.
  private static func anchors<Element: Hashable>(
    _ left: [Element], _ a: Range<Int>, _ right: [Element], _ b: Range<Int>
  ) -> [(Int, Int)] {
    var places: [Element: (count: Int, place: Int)] = [:]
    for y in b { places[right[y], default: (0, y)].count += 1 }
    var counts: [Element: Int] = [:]
    for x in a { counts[left[x], default: 0] += 1 }
    let candidates = a.compactMap { x -> (Int, Int)? in
      guard counts[left[x]] == 1, let other = places[left[x]], other.count == 1 else { return nil }
      return (x, other.place)
    }
    return LongestRun.indices(of: candidates.map(\.1)).map { candidates[$0] }
  }
}
