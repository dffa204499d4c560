/// Distributes pictures of equal width over the columns of pages. Lengths are in points.
struct MasonryColumns {
  /// A picture with its caption and border.
  struct Block {
    /// The height of the picture.
    let height: Double
    let extras: Double
    /// Whether the block fits on a page without being reduced.
    let isWhole: Bool
  }

  /// The place of a block, measured downwards from the top of the content area.
  struct Place {
    let block: Int
    let column: Int
    let bottom: Double
    let height: Double
  }

  private struct Column {
    var heights = 0.0
    var extras = 0.0
    var end: Double { heights + extras }

    mutating func add(_ block: Block, gap: Double) {
      extras += block.extras + (heights > 0 ? gap : 0)
      heights += block.height
    }
  }

  let blocks: [Block]
  let columns: Int
  let gap: Double
  let filling: PageFilling

  /// Returns the blocks of each page for the cheapest page breaks, and their cost.
  func pages() -> (pages: [Range<Int>], cost: Double) {
    var best = [(cost: Double, start: Int)](repeating: (.infinity, 0), count: blocks.count + 1)
    best[0].cost = 0
    for start in blocks.indices {
      for (index, own) in costs(from: start).enumerated() {
        let cost = best[start].cost + own
        if cost < best[start + index + 1].cost { best[start + index + 1] = (cost, start) }
      }
    }
    var pages: [Range<Int>] = []
    var end = blocks.count
    while end > 0 {
      pages.append(best[end].start..<end)
      end = best[end].start
    }
    return (pages.reversed(), best.last!.cost)
  }

  var fewestPages: Int {
    var pages = 0
    var start = 0
    while start < blocks.count {
      start += costs(from: start).count
      pages += 1
    }
    return pages
  }

  /// Returns the costs of pages that begin with a given block: with this block alone, with the next one, and so on,
  /// until the blocks no longer fit.
  private func costs(from start: Int) -> [Double] {
    var page = [Column](repeating: Column(), count: columns)
    var costs: [Double] = []
    for end in start..<blocks.count {
      page[Self.shortest(page)].add(blocks[end], gap: gap)
      let own = cost(page)
      // A single block fits on any page. If a column overflows, adding further blocks does not help.
      guard own != nil || end == start else { break }
      costs.append(own ?? Double(columns))
    }
    return costs
  }

  /// Returns the blocks of each page for the cheapest breaks into a given number of pages, and their cost; nil if there
  /// are no such breaks.
  func pages(exactly count: Int) -> (pages: [Range<Int>], cost: Double)? {
    guard (1...max(1, blocks.count)).contains(count) else { return nil }
    let costs = blocks.indices.map(costs)
    var best = [Double](repeating: .infinity, count: blocks.count + 1)
    best[0] = 0
    var starts: [[Int]] = []
    for _ in 0..<count {
      var next = [Double](repeating: .infinity, count: blocks.count + 1)
      var from = [Int](repeating: 0, count: blocks.count + 1)
      for start in blocks.indices where best[start] < .infinity {
        for (index, own) in costs[start].enumerated() where best[start] + own < next[start + index + 1] {
          next[start + index + 1] = best[start] + own
          from[start + index + 1] = start
        }
      }
      best = next
      starts.append(from)
    }
    guard best.last! < .infinity else { return nil }
    var pages: [Range<Int>] = []
    var end = blocks.count
    for from in starts.reversed() {
      pages.append(from[end]..<end)
      end = from[end]
    }
    return (pages.reversed(), best.last!)
  }

  /// Returns the mean cost of the columns; nil if one does not fit.
  private func cost(_ page: [Column]) -> Double? {
    var sum = 0.0
    for column in page {
      guard column.heights > 0 else {
        sum += filling.stretches ? 2 : 1
        continue
      }
      guard let own = filling.cost(column.heights, extras: column.extras) else { return nil }
      sum += own
    }
    return sum / Double(columns)
  }

  private static func shortest(_ page: [Column]) -> Int {
    page.indices.reduce(0) { page[$1].end < page[$0].end - 1e-9 ? $1 : $0 }
  }

  func places(_ range: Range<Int>) -> [Place] {
    var page = [Column](repeating: Column(), count: columns)
    let homes = range.map { block in
      let column = Self.shortest(page)
      page[column].add(blocks[block], gap: gap)
      return column
    }
    let stretches = page.map { column in
      column.heights > 0 ? filling.stretch(column.heights, extras: column.extras) : 1
    }
    var ends = [Double](repeating: 0, count: columns)
    return zip(range, homes).map { block, column in
      let height = blocks[block].height * stretches[column] + blocks[block].extras
      let top = ends[column] > 0 ? ends[column] + gap : 0
      ends[column] = top + height
      return Place(block: block, column: column, bottom: ends[column], height: height)
    }
  }
}
