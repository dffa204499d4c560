/// Finds the cheapest sequence of pages by dynamic programming.
///
/// A state consists of the number of pictures placed so far, the number of pages, and the last page, which affects the
/// cost of the next one. Without a page target, the side of the next page replaces the number of pages.
struct PageSequence {
  /// A way to reach a state.
  private struct Arrival {
    /// The index of the last page's choice; -1 before the first page.
    var choice: Int
    var cost: Double
    /// The index of the arrival before the last page; -1 for none.
    var previous: Int
    var pages: Int
  }

  /// The precision of page numbers in the search.
  private enum Following {
    /// Only the side of the next page. Sequences that end on the same side compete.
    case sides
    /// The exact number of pages. For each number of pictures, `width` consecutive page numbers are tracked, beginning
    /// with the one in `from`.
    case numbers(from: [Int], width: Int)

    var width: Int {
      switch self {
      case .sides: 2
      case .numbers(_, let width): width
      }
    }

    func slot(pictures: Int, pages: Int) -> Int? {
      switch self {
      case .sides: return pages % 2
      case .numbers(let from, let width):
        let slot = pages - from[pictures]
        return (0..<width).contains(slot) ? slot : nil
      }
    }
  }

  private let subjects: [DesignSubject]
  private let choices: PageChoices
  private let sections: [Range<Int>]
  private let paper: DesignPaper

  init(_ subjects: [DesignSubject], _ choices: PageChoices, sections: [Range<Int>], paper: DesignPaper) {
    self.subjects = subjects
    self.choices = choices
    self.sections = sections
    self.paper = paper
  }

  /// A sequence of choices with the number of its pages.
  struct Found {
    var choices: [Int]
    var pages: Int
  }

  /// Returns the cheapest sequence of any length. Each section is decided before the next one.
  ///
  /// - Parameter pageCost: the cost of each page in addition to that of its pictures.
  func cheapest(pageCost: Double = 0) -> Found {
    var found = Found(choices: [], pages: 0)
    for section in sections {
      let last = found.choices.last ?? -1
      found = best(section, after: found, last, .sides, pageCost) { _ in true }!
    }
    return found
  }

  /// Returns the cheapest sequence with a given number of pages, or with the nearest possible number.
  ///
  /// A bisection over an additional cost per page finds a sequence with nearly that number. A second search then
  /// compares all sequences that, after each picture, have nearly as many pages as the sequence found.
  func cheapest(pages target: Int) -> Found {
    var found = cheapest()
    if found.pages == target { return found }
    let sign = found.pages > target ? 1.0 : -1.0
    var (near, far) = (0.0, sign)
    var nearest = found
    func take(_ one: Found) {
      if abs(one.pages - target) < abs(nearest.pages - target) { nearest = one }
    }
    while abs(far) < Self.mostPageCost {
      found = cheapest(pageCost: far)
      take(found)
      if (Double(found.pages) - Double(target)) * sign <= 0 { break }
      (near, far) = (far, far * 3)
    }
    for _ in 0..<Self.steps where nearest.pages != target {
      let middle = (near + far) / 2
      found = cheapest(pageCost: middle)
      take(found)
      if (Double(found.pages) - Double(target)) * sign > 0 { near = middle } else { far = middle }
    }
    if nearest.pages == target { return nearest }
    return exact(target, near: nearest) ?? nearest
  }

  /// The cost per page that outweighs everything else, and the number of bisection steps.
  private static let mostPageCost = 400.0
  private static let steps = 10

  /// The number of pages by which a sequence in the second search may differ from the first sequence, in addition to
  /// the first sequence's distance from the target.
  private static let spare = 4

  private func exact(_ target: Int, near known: Found) -> Found? {
    var from = [Int](repeating: 0, count: subjects.count + 1)
    var (position, pages) = (0, 0)
    let reach = abs(known.pages - target) + Self.spare
    for choice in known.choices {
      for place in position..<(position + choices.all[choice].count) { from[place] = pages - reach }
      position += choices.all[choice].count
      pages += choices.all[choice].pages
    }
    from[position] = pages - reach
    let following = Following.numbers(from: from, width: 2 * reach + 1)
    return best(subjects.indices, after: Found(choices: [], pages: 0), -1, following, 0) { $0 == target }
  }

  // MARK: - Steps

  /// Returns the cheapest way from the start of a range to its end; nil if none has an acceptable number of pages.
  private func best(
    _ range: Range<Int>, after before: Found, _ last: Int, _ following: Following, _ pageCost: Double,
    isWanted: (Int) -> Bool
  ) -> Found? {
    let width = following.width
    var arrivals = [Arrival(choice: last, cost: 0, previous: -1, pages: before.pages)]
    var states = [[Int]](repeating: [], count: (range.count + 1) * width)
    guard let first = following.slot(pictures: range.lowerBound, pages: before.pages) else { return nil }
    states[first] = [0]
    for position in range {
      for slot in 0..<width {
        let here = states[(position - range.lowerBound) * width + slot]
        guard let pages = here.first.map({ arrivals[$0].pages }) else { continue }
        for index in choices.ranges[position] {
          let choice = choices.all[index]
          let next = position + choice.count
          guard choice.pages == 1 || paper.isFirstOfTwo(pages + choice.blanks) else { continue }
          guard next <= range.upperBound, let nextSlot = following.slot(pictures: next, pages: pages + choice.pages)
          else { continue }
          let own = choice.cost + pageCost * Double(choice.pages) + orphanCost(choice, from: position)
          var best = Arrival(choice: index, cost: .infinity, previous: -1, pages: 0)
          for arrival in here {
            let cost = arrivals[arrival].cost + transition(arrivals[arrival].choice, choice, index, at: pages)
            if cost < best.cost {
              best = Arrival(
                choice: index, cost: cost, previous: arrival, pages: arrivals[arrival].pages + choice.pages)
            }
          }
          best.cost += own
          let state = (next - range.lowerBound) * width + nextSlot
          states[state].append(arrivals.count)
          arrivals.append(best)
        }
      }
    }
    return cheapest(in: states.suffix(width).joined(), arrivals, after: before, isWanted)
  }

  private func cheapest(
    in last: some Sequence<Int>, _ arrivals: [Arrival], after before: Found, _ isWanted: (Int) -> Bool
  ) -> Found? {
    var best: Int?
    for arrival in last where isWanted(arrivals[arrival].pages) {
      if best.map({ arrivals[arrival].cost < arrivals[$0].cost }) ?? true { best = arrival }
    }
    guard var arrival = best else { return nil }
    let pages = arrivals[arrival].pages
    var chosen: [Int] = []
    while arrivals[arrival].previous >= 0 {
      chosen.append(arrivals[arrival].choice)
      arrival = arrivals[arrival].previous
    }
    return Found(choices: before.choices + chosen.reversed(), pages: pages)
  }

  /// Returns the cost of a single picture on the last page of its section.
  private func orphanCost(_ choice: PageChoices.Choice, from position: Int) -> Double {
    guard choice.count == 1, !subjects[position].isHero, !subjects[position].startsPage,
      let section = sections.first(where: { $0.contains(position) }), section.count > 1,
      position == section.upperBound - 1
    else { return 0 }
    return DesignCost.orphan
  }

  /// Returns the cost that a page causes by following another page.
  ///
  /// - Parameter pages: the number of pages before the second of the two pages.
  private func transition(_ before: Int, _ next: PageChoices.Choice, _ index: Int, at pages: Int) -> Double {
    guard before >= 0 else { return 0 }
    let last = choices.all[before]
    var cost = 0.0
    if last.template == next.template { cost += DesignCost.repetition }
    if last.count == next.count { cost += DesignCost.sameCount }
    if min(last.count, next.count) >= DesignCost.denseCount { cost += DesignCost.dense }
    let faces = last.pages == 1 && next.pages == 1 && !paper.isFirstOfTwo(pages)
    if last.isFull, next.isFull, !faces { cost += DesignCost.fullAfterFull }
    guard faces, last.isFull == next.isFull else { return cost }
    let difference = (abs(last.top - next.top) + abs(last.bottom - next.bottom)) / paper.height
    return cost + DesignCost.unevenFacing * min(1, difference / DesignCost.unevenShare)
  }
}
