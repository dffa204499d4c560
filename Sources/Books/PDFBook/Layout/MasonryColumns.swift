/// Distributes pictures of equal width over the columns of pages. Lengths are in points.
struct MasonryColumns {
  /// A picture with its caption and border.
  struct Block {
    /// The height of the picture.
    let height: Double
    let extras: Double
    /// Whether it fits on a page at its own height.
    let isWhole: Bool
  }

  /// The place of a block, measured downwards from the top of the content area.
  struct Place {
    let block: Int
    let column: Int
    let bottom: Double
    let height: Double
  }

  /// The content of a column.
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
      var page = [Column](repeating: Column(), count: columns)
      for end in start..<blocks.count {
        page[Self.shortest(page)].add(blocks[end], gap: gap)
        let own = cost(page)
        // A single block fits on any page, and columns only grow.
        guard own != nil || end == start else { break }
        let cost = best[start].cost + (own ?? Double(columns))
        if cost < best[end + 1].cost { best[end + 1] = (cost, start) }
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

  /// Returns the places of the blocks of a page.
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
