import ImageCore

/// An expected page that the document lacks.
struct MissingPage: Sendable, Hashable {
  /// The expected page number, from 1.
  let number: Int
  /// The number of the document's page that precedes this missing page; 0 if it is missing before the first page.
  let after: Int
}

/// Matches a document's pages with the expected ones. Finds lost, added, duplicated, exchanged and moved pages, and,
/// for each page that was not added, the expected page to compare it with.
struct PageAlignment: Sendable {
  /// For each page of the document, the index of the expected page; nil for an added page.
  private(set) var counterparts: [Int?]
  /// Faults of the whole document.
  private(set) var faults: [Fault] = []
  /// Faults of single pages, by page from 0.
  private(set) var pageFaults: [Int: Fault] = [:]
  private(set) var missing: [MissingPage] = []
  /// The indices, from 0, of pages that duplicate another page.
  private(set) var copies: Set<Int> = []
  /// The maximum number of runs of lost pages that are reported individually.
  private static let maximumRuns = 8

  init(meant: [PageSignature], found: [PageSignature]) {
    var matching = PageMatching(meant: meant, found: found)
    guard matching.isCertain || meant.count == found.count else {
      counterparts = found.indices.map { $0 < meant.count ? $0 : nil }
      faults = [.document(.pageCount(meant.count, actual: found.count))]
      return
    }
    matching.pairBetween()
    counterparts = matching.counterparts
    tellOrder()
    for place in matching.added {
      let original = matching.original(of: place)
      counterparts[place] = original
      if original != nil { copies.insert(place) }
      pageFaults[place] = original.flatMap { matching.places[$0] }.map { .order(.copied($0 + 1)) } ?? .order(.added)
    }
    tellLost(matching.lost)
    // Each missing page is assigned to the nearest earlier page that is present.
    var before: Int?
    for page in matching.places.indices {
      if let place = matching.places[page] {
        before = place
      } else {
        missing.append(MissingPage(number: page + 1, after: (before ?? -1) + 1))
      }
    }
  }

  /// Reports pages that are out of order: first those that were exchanged, then those that were moved.
  private mutating func tellOrder() {
    let known = counterparts.indices.filter { counterparts[$0] != nil }
    let pages = known.map { counterparts[$0]! }
    let ranks = Dictionary(uniqueKeysWithValues: pages.sorted().enumerated().map { ($0.element, $0.offset) })
    let order = pages.map { ranks[$0]! }
    let isSwapped = order.indices.map { order[$0] != $0 && order[order[$0]] == $0 }
    for index in order.indices where isSwapped[index] {
      pageFaults[known[index]] = .order(.swapped(known[order[index]] + 1))
    }
    let others = order.indices.filter { !isSwapped[$0] }
    let inOrder = Set(LongestRun.indices(of: others.map { order[$0] }).map { others[$0] })
    for index in others where !inOrder.contains(index) {
      pageFaults[known[index]] = .order(.moved(pages[index] + 1))
    }
  }

  private mutating func tellLost(_ lost: [Int]) {
    let runs = RangeSet(lost.map { $0 + 1..<$0 + 2 }).ranges.map { $0.lowerBound...$0.upperBound - 1 }
    faults += runs.prefix(Self.maximumRuns).map { .order(.lost($0)) }
    let rest = runs.dropFirst(Self.maximumRuns).reduce(0) { $0 + $1.count }
    if rest > 0 { faults.append(.order(.moreLost(rest))) }
  }
}

/// Finds the elements that two sequences have in common and in the same order (Bram Cohen's "patience diff"): first
/// those at both ends, then elements that occur once in each sequence, and then, recursively, the elements in between.
///
/// Takes O(n log n) time if most elements are distinct, whatever their order.
enum CommonOrder {
  /// Returns the common elements, each as a pair of indices.
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

  /// Returns pairs of indices of elements that occur once in each range: the longest series that has the same order in
  /// both.
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

/// Finds the longest strictly increasing subsequence in O(n log n) (M. L. Fredman, "On computing the length of longest
/// increasing subsequences", Discrete Mathematics 11, 1975).
enum LongestRun {
  /// Returns the indices of the subsequence's values.
  static func indices(of values: [Int]) -> [Int] {
    // For each length, the index of the smallest value that ends a run of that length.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var result: [Int] = []
    var last = ends.last ?? -1
    while last >= 0 {
      result.append(last)
      last = before[last]
    }
    return result.reversed()
  }
}
