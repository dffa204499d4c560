import ImageCore

/// A page that was lost.
struct MissingPage: Sendable, Hashable {
  /// The expected page number, from 1.
  let number: Int
  /// The page of the document after which it is missing; 0 if it belongs before the first.
  let after: Int
}

/// Matches a document's pages with the expected ones: finds lost, added, doubled and exchanged pages, and the expected
/// page that each one is compared with.
struct PageAlignment: Sendable {
  /// The expected page of each page of the document, both from 0; nil for an added page.
  private(set) var counterparts: [Int?]
  /// Faults of the whole document.
  private(set) var faults: [Fault] = []
  /// Faults of single pages, by page from 0.
  private(set) var pageFaults: [Int: Fault] = [:]
  private(set) var missing: [MissingPage] = []
  /// Indices of pages, from 0, that repeat another page.
  private(set) var copies: Set<Int> = []
  /// The most runs of lost pages that are reported individually.
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
    // Each missing page is listed after the nearest earlier page that is present.
    var before: Int?
    for page in matching.places.indices {
      if let place = matching.places[page] {
        before = place
      } else {
        missing.append(MissingPage(number: page + 1, after: (before ?? -1) + 1))
      }
    }
  }

  /// Reports pages that are out of order: first those that changed places, then those that moved.
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
    var runs: [ClosedRange<Int>] = []
    for page in lost {
      if let last = runs.last, last.upperBound == page {
        runs[runs.count - 1] = last.lowerBound...page + 1
      } else {
        runs.append(page + 1...page + 1)
      }
    }
    faults += runs.prefix(Self.maximumRuns).map { .order(.lost($0)) }
    let rest = runs.dropFirst(Self.maximumRuns).reduce(0) { $0 + $1.count }
    if rest > 0 { faults.append(.order(.moreLost(rest))) }
  }
}
