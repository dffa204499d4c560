import Platform

/// Breaks pictures into rows of equal width, and rows into pages, so that rows have about the preferred height and
/// pages are filled evenly. Lengths are in points.
///
/// The pictures are distributed in equal shares over the pages that they need. The search tries several ends for each
/// page and all divisions of a page into rows, and keeps the best breaks.
struct JustifiedRows {
  struct Row {
    let pictures: Range<Int>
    /// The height of its pictures, without captions and borders.
    let height: Double
  }

  /// The aspect ratio of each picture, and the height of the strip for its caption.
  let aspects: [Double]
  let strips: [Double]
  /// The width and height of the content area.
  let width: Double
  let height: Double
  let columnGap: Double
  let rowGap: Double
  /// Twice the width of the border around a picture.
  let border: Double
  /// The preferred height of rows.
  var wanted: Double
  let fills: Bool

  /// The number of pictures by which a page may deviate from its share.
  private static let searchRadius = 3
  /// The weight of rows that deviate from the preferred height, relative to the weight of pages that are not filled.
  private static let rowWeight = 0.3
  /// The weight of pages with more or fewer pictures than others.
  private static let shareWeight = 0.5
  /// The weight of all pages except the last, so that a page with fewer rows is the last one.
  private static let earlierWeight = 1.1
  /// The row height, as a multiple of the preferred height, above which a row may take one more picture.
  private static let lowest = 1.0 / 3

  private var filling: PageFilling { PageFilling(height: height, stretches: fills) }

  /// Returns the rows of each page; nil if the pictures do not fit.
  func pages() -> [[Row]]? {
    guard !aspects.isEmpty else { return [] }
    let loads = loads()
    var count = min(aspects.count, max(1, Int(loads.last!.rounded(.down))))
    // The pictures fit on this number of pages with slightly lower rows, or on one more page with slightly higher rows.
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

  /// Returns the rows of each page for exactly the given number of pages, with the row height that this requires; nil
  /// if the pictures do not fit.
  ///
  /// - Parameter highest: the largest possible height of a row.
  mutating func pages(exactly count: Int, highest: Double) -> [[Row]]? {
    var (low, high) = (1.0, highest)
    for _ in 0..<40 {
      wanted = (low + high) / 2
      if loads().last! > Double(count) { high = wanted } else { low = wanted }
    }
    // Pages with captions or panoramas need rows that are a little lower than the mean.
    for _ in 0..<30 {
      if let found = pages(count, loads()) { return found.pages }
      wanted *= 0.93
    }
    return nil
  }

  /// The number of rows on a page if all have about the preferred height, and the row height that then fills the page.
  private var regular: (rows: Double, height: Double) {
    let other = (strips.max() ?? 0) + border
    let rows = max(1, ((height + rowGap) / (wanted + other + rowGap)).rounded())
    return (rows, max(1, (height + rowGap) / rows - rowGap - other))
  }

  /// Returns running totals of the space that pictures need, in pages: for each picture, the total of all pictures
  /// before it; at the end, the total of all pictures.
  private func loads() -> [Double] {
    let (rows, height) = regular
    var loads = [0.0]
    for aspect in aspects {
      // A picture takes its share of a row of regular height. A picture that is too wide takes a whole row, which is
      // lower.
      let share = min(
        (aspect * height + border + columnGap) / (width + columnGap),
        ((width - border) / aspect + border + rowGap) / (height + border + rowGap))
      loads.append(loads.last! + min(1, share) / rows)
    }
    return loads
  }

  // MARK: Pages

  /// Returns the rows of a given number of pages; nil if the pictures do not fit.
  private func pages(_ count: Int, _ loads: [Double]) -> (pages: [[Row]], cost: Double)? {
    // For each possible end of a page: the least cost, where that page begins, and its rows.
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

  /// Returns the indices at which a page may end.
  private func candidates(_ page: Int, of count: Int, _ loads: [Double]) -> ClosedRange<Int> {
    guard page < count else { return aspects.count...aspects.count }
    let share = loads.last! * Double(page) / Double(count)
    // The first index at which the running total reaches the share.
    var (low, high) = (0, aspects.count)
    while low < high {
      let middle = (low + high) / 2
      if loads[middle] < share { low = middle + 1 } else { high = middle }
    }
    let (first, last) = (page, aspects.count - (count - page))
    return min(max(low - Self.searchRadius, first), last)...min(max(low + Self.searchRadius, first), last)
  }

  /// Returns the cost of an unequal share of the content. Without this cost, a single picture that does not fit on the
  /// other pages could get a page of its own.
  ///
  /// - Parameter share: the content of the page as a multiple of an equal share.
  private func balanceCost(_ share: Double) -> Double { Self.shareWeight * (share - 1) * (share - 1) }

  private func pageCost(_ heights: Double, _ extras: Double, _ rows: Int) -> Double? {
    guard let cost = filling.cost(heights, extras: extras) else { return nil }
    let off = log(heights / Double(rows) / regular.height)
    return cost + Self.rowWeight * off * off
  }

  // MARK: Rows

  /// Returns a row's height; nil if its gaps leave no space.
  ///
  /// - Parameter aspect: the sum of its pictures' aspect ratios.
  fileprivate func rowHeight(_ count: Int, _ aspect: Double, strip: Double) -> Double? {
    let free = width - Double(count - 1) * columnGap - Double(count) * border
    guard free > 0 else { return nil }
    // A row that would be higher than the page is made narrower instead.
    return min(free / aspect, height - strip - border)
  }

  /// Returns whether a row of this height may take another picture.
  fileprivate func mayGrow(_ height: Double) -> Bool { height > wanted * Self.lowest }

  /// Returns the maximum number of rows of a page with these pictures.
  fileprivate func maximumRows(_ pictures: Range<Int>) -> Int {
    let (rows, height) = regular
    let panoramas = pictures.count { aspects[$0] * height > width }
    return min(pictures.count, 2 * Int(rows) + 2 + panoramas)
  }

  func strip(_ row: Range<Int>) -> Double { strips[row].max() ?? 0 }

  func width(of row: Row) -> Double {
    let count = Double(row.pictures.count)
    return row.height * aspects[row.pictures].reduce(0, +) + count * border + (count - 1) * columnGap
  }

  /// Returns the total height of a page's rows before they are stretched.
  func height(of rows: [Row]) -> Double {
    rows.reduce(Double(rows.count - 1) * rowGap) {
      $0 + $1.height + strip($1.pictures) + border
    }
  }

  /// Returns the factor by which the rows of a page are stretched.
  ///
  /// - Parameter extras: the height of captions and borders.
  func stretch(of rows: [Row], extras: Double) -> Double {
    filling.stretch(rows.reduce(0) { $0 + $1.height }, extras: extras + Double(rows.count - 1) * rowGap)
  }
}

/// The best rows for pages that begin with a given picture. For each number of rows and each end, only the division
/// with the least total height is kept. Its rows are usually also the most even in height.
private struct RowBreaks {
  private struct Best {
    var whole = Double.infinity
    /// The total height of the rows' pictures alone.
    var heights = 0.0
    var last = JustifiedRows.Row(pictures: 0..<0, height: 0)
  }

  private let start: Int
  private let rowGap: Double
  /// The best breaks, indexed by the number of rows and then by the number of pictures.
  private var best: [[Best]] = []

  init(_ rows: JustifiedRows, from start: Int, to end: Int) {
    self.start = start
    rowGap = rows.rowGap
    let count = end - start
    var first = [Best](repeating: Best(), count: count + 1)
    first[0].whole = -rowGap
    best = [first]
    for _ in 0..<rows.maximumRows(start..<end) {
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

  /// Returns the rows of a page that ends before the picture `end`, and their cost; nil if they do not fit.
  func best(to end: Int, _ cost: (Double, Double, Int) -> Double?) -> (rows: [JustifiedRows.Row], cost: Double)? {
    var found: (count: Int, cost: Double)?
    for count in 1..<best.count {
      let page = best[count][end - start]
      guard page.whole < .infinity,
        let cost = cost(page.heights, page.whole - page.heights, count), cost < found?.cost ?? .infinity
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
