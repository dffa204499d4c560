import Platform

/// Breaks pictures into rows of one width and rows into pages, so that rows are about as high as wanted and pages
/// are filled alike. Lengths are points.
///
/// As many pages as the pictures take, each with an equal share of them; a search over the few pictures around each
/// page's end, and over all rows of a page, finds the best break.
struct JustifiedRows {
  struct Row {
    let pictures: Range<Int>
    /// Of its pictures, without captions and borders.
    let height: Double
  }

  /// Width by height of each picture, and what its caption takes.
  let aspects: [Double]
  let strips: [Double]
  /// Of the room.
  let width: Double
  let height: Double
  let columnGap: Double
  let rowGap: Double
  /// Of both sides.
  let border: Double
  /// What rows should be as high as.
  let wanted: Double
  let fills: Bool

  /// How many pictures a page may end before or after its share.
  private static let reach = 3
  /// What rows that are not as high as wanted count beside pages that are not filled.
  private static let rowWeight = 0.3
  /// The same of pages that have more or fewer pictures than others.
  private static let shareWeight = 0.5
  /// What all pages but the last count: where one has to have fewer rows, it is that one.
  private static let earlierWeight = 1.1
  /// No row is lower than this share of the wanted height for the sake of one more picture.
  private static let lowest = 1.0 / 3

  private var filling: PageFilling { PageFilling(height: height, stretches: fills) }

  /// Nil where there is no room.
  func pages() -> [[Row]]? {
    guard !aspects.isEmpty else { return [] }
    let loads = loads()
    var count = min(aspects.count, max(1, Int(loads.last!.rounded(.down))))
    // Rows a little lower, or one page more with rows a little higher.
    let best = [count, min(aspects.count, count + 1)]
      .compactMap { count in pages(count, loads).map { ($0.pages, $0.cost / Double(count)) } }
      .min { $0.1 < $1.1 }
    if let best { return best.0 }
    while count < aspects.count {
      count = min(aspects.count, count + count / 8 + 1)
      if let found = pages(count, loads) { return found.pages }
    }
    return nil
  }

  /// Rows of a page if all are as high as wanted, and that height if they fill it.
  private var regular: (rows: Double, height: Double) {
    let other = (strips.max() ?? 0) + border
    let rows = max(1, ((height + rowGap) / (wanted + other + rowGap)).rounded())
    return (rows, max(1, (height + rowGap) / rows - rowGap - other))
  }

  /// The share of a page that all pictures before each one take, and at last all of them.
  private func loads() -> [Double] {
    let (rows, height) = regular
    var loads = [0.0]
    for aspect in aspects {
      // Of a row as high as others, or all of a lower one.
      let share = min(
        (aspect * height + border + columnGap) / (width + columnGap),
        ((width - border) / aspect + border + rowGap) / (height + border + rowGap))
      loads.append(loads.last! + min(1, share) / rows)
    }
    return loads
  }

  // MARK: Pages

  /// The pages of a number of them; nil where the pictures do not fit.
  private func pages(_ count: Int, _ loads: [Double]) -> (pages: [[Row]], cost: Double)? {
    // What led to each place where a page may end: the cost, where the page begins, and its rows.
    var ends: [Int: (cost: Double, start: Int, rows: [Row])] = [0: (0, 0, [])]
    var history = [ends]
    for page in 1...count {
      let next = candidates(page, of: count, loads)
      var found: [Int: (cost: Double, start: Int, rows: [Row])] = [:]
      for start in ends.keys.sorted() where start < next.upperBound {
        let breaks = RowBreaks(self, from: start, to: next.upperBound)
        for end in next where end > start {
          guard let (rows, own) = breaks.best(to: end, pageCost) else { continue }
          let cost =
            ends[start]!.cost + own * (page < count ? Self.earlierWeight : 1)
            + balanceCost((loads[end] - loads[start]) * Double(count) / loads.last!)
          if cost < found[end]?.cost ?? .infinity { found[end] = (cost, start, rows) }
        }
      }
      ends = found
      history.append(found)
    }
    guard let cost = ends[aspects.count]?.cost else { return nil }
    var pages: [[Row]] = []
    var end = aspects.count
    for page in stride(from: count, to: 0, by: -1) {
      let (_, start, rows) = history[page][end]!
      pages.append(rows)
      end = start
    }
    return (pages.reversed(), cost)
  }

  /// Where a page may end.
  private func candidates(_ page: Int, of count: Int, _ loads: [Double]) -> ClosedRange<Int> {
    guard page < count else { return aspects.count...aspects.count }
    let share = loads.last! * Double(page) / Double(count)
    // The first place that is not before the share.
    var (low, high) = (0, aspects.count)
    while low < high {
      let middle = (low + high) / 2
      if loads[middle] < share { low = middle + 1 } else { high = middle }
    }
    let (first, last) = (page, aspects.count - (count - page))
    return min(max(low - Self.reach, first), last)...min(max(low + Self.reach, first), last)
  }

  /// - Parameter share: what a page has of an equal share of all pictures: none has a single one for want of rows that
  ///   fill it.
  private func balanceCost(_ share: Double) -> Double {
    Self.shareWeight * (share - 1) * (share - 1)
  }

  private func pageCost(_ heights: Double, _ extras: Double, _ rows: Int) -> Double? {
    guard let cost = filling.cost(heights, extras: extras) else { return nil }
    let off = log(heights / Double(rows) / regular.height)
    return cost + Self.rowWeight * off * off
  }

  // MARK: Rows

  /// A row's height; nil where its gaps leave nothing.
  ///
  /// - Parameter aspect: the sum of its pictures'.
  fileprivate func rowHeight(_ count: Int, _ aspect: Double, strip: Double) -> Double? {
    let room = width - Double(count - 1) * columnGap - Double(count) * border
    guard room > 0 else { return nil }
    // One that would be higher than the page is narrower than the room.
    return min(room / aspect, height - strip - border)
  }

  /// Whether a row of this height may take another picture.
  fileprivate func mayGrow(_ height: Double) -> Bool { height > wanted * Self.lowest }

  /// The most rows that a page of these pictures may have.
  fileprivate func mostRows(_ pictures: Range<Int>) -> Int {
    let (rows, height) = regular
    let panoramas = pictures.count { aspects[$0] * height > width }
    return min(pictures.count, 2 * Int(rows) + 2 + panoramas)
  }

  func strip(_ row: Range<Int>) -> Double { strips[row].max() ?? 0 }

  /// Across all of a row.
  func width(of row: Row) -> Double {
    let count = Double(row.pictures.count)
    return row.height * aspects[row.pictures].reduce(0, +) + count * border
      + (count - 1) * columnGap
  }

  /// Of a page's rows before they are stretched.
  func height(of rows: [Row]) -> Double {
    rows.reduce(Double(rows.count - 1) * rowGap) {
      $0 + $1.height + strip($1.pictures) + border
    }
  }

  /// What the rows of a page are stretched by.
  ///
  /// - Parameter extras: of captions and borders.
  func stretch(of rows: [Row], extras: Double) -> Double {
    filling.stretch(
      rows.reduce(0) { $0 + $1.height }, extras: extras + Double(rows.count - 1) * rowGap)
  }
}

/// The best rows of all pages that begin with one picture: of each number of rows those that are the lowest together,
/// which are the most alike.
private struct RowBreaks {
  private struct Best {
    var whole = Double.infinity
    /// The pictures' part of it.
    var heights = 0.0
    var last = JustifiedRows.Row(pictures: 0..<0, height: 0)
  }

  private let start: Int
  private let rowGap: Double
  /// By the number of rows, then by the number of pictures.
  private var best: [[Best]] = []

  init(_ rows: JustifiedRows, from start: Int, to end: Int) {
    self.start = start
    rowGap = rows.rowGap
    let count = end - start
    var first = [Best](repeating: Best(), count: count + 1)
    first[0].whole = -rowGap
    best = [first]
    for _ in 0..<rows.mostRows(start..<end) {
      var next = [Best](repeating: Best(), count: count + 1)
      for begin in 0..<count where best.last![begin].whole < .infinity {
        let before = best.last![begin]
        var (aspect, strip) = (0.0, 0.0)
        for index in begin..<count {
          aspect += rows.aspects[start + index]
          strip = max(strip, rows.strips[start + index])
          guard let height = rows.rowHeight(index - begin + 1, aspect, strip: strip), height > 0
          else { break }
          let whole = before.whole + height + strip + rows.border + rowGap
          if whole < next[index + 1].whole {
            next[index + 1] = Best(
              whole: whole, heights: before.heights + height,
              last: JustifiedRows.Row(
                pictures: start + begin..<start + index + 1, height: height))
          }
          guard rows.mayGrow(height) else { break }
        }
      }
      best.append(next)
    }
  }

  /// The rows of a page up to a picture, and what they cost; nil where they do not fit.
  func best(to end: Int, _ cost: (Double, Double, Int) -> Double?) -> (
    rows: [JustifiedRows.Row], cost: Double
  )? {
    var found: (count: Int, cost: Double)?
    for count in 1..<best.count {
      let page = best[count][end - start]
      guard page.whole < .infinity,
        let cost = cost(page.heights, page.whole - page.heights, count),
        cost < found?.cost ?? .infinity
      else { continue }
      found = (count, cost)
    }
    guard let found else { return nil }
    var rows: [JustifiedRows.Row] = []
    var end = end
    for count in stride(from: found.count, to: 0, by: -1) {
      let last = best[count][end - start].last
      rows.append(last)
      end = last.pictures.lowerBound
    }
    return (rows.reversed(), found.cost)
  }
}
