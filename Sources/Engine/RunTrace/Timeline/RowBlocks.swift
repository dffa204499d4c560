import Scheduling

/// The steps of a row in a drawing: blocks, and columns for blocks that are too narrow to be visible.
struct RowBlocks {
  /// Adjacent steps of the same work in the same class.
  struct Block {
    let name: String
    let qos: QualityOfService
    let began: Int
    var ended: Int
    /// The total duration of the steps in nanoseconds, without the gaps between them.
    var busy: Int
    /// The indices, in the row, of the block's steps.
    var steps: Range<Int>
  }

  /// The narrow blocks in a column of pixels.
  struct Column {
    /// The busy time of each class, in nanoseconds.
    var times = [Int](repeating: 0, count: QualityOfService.allCases.count)
    var blockCount = 0
    /// The first few distinct names.
    var names: [String] = []
    var hasMoreNames = false

    var busy: Int { times.reduce(0, +) }

    mutating func add(_ block: Block) {
      times[block.qos.rawValue] += block.busy
      blockCount += 1
      guard !names.contains(block.name) else { return }
      if names.count < 3 { names.append(block.name) } else { hasMoreNames = true }
    }
  }

  private(set) var blocks: [Block] = []
  private(set) var columns: [Int: Column] = [:]

  /// - Parameters:
  ///   - steps: the steps of one row, in order.
  ///   - column: the duration of a column of pixels, in nanoseconds. Shorter blocks are combined in columns.
  ///   - gap: the longest gap between two adjacent steps, in nanoseconds.
  init(_ steps: [TraceRecord.Span], column: Double, gap: Int) {
    for block in Self.merged(steps, gap: gap) {
      if Double(block.ended - block.began) >= column {
        blocks.append(block)
      } else {
        let middle = Double(block.began + block.ended) / 2
        columns[Int(middle / column), default: Column()].add(block)
      }
    }
  }

  static func merged(_ steps: [TraceRecord.Span], gap: Int) -> [Block] {
    var blocks: [Block] = []
    for (index, step) in steps.enumerated() {
      let qos = step.qos ?? .default
      if let last = blocks.last, last.name == step.name, last.qos == qos, step.began - last.ended <= gap {
        blocks[blocks.count - 1].ended = step.ended
        blocks[blocks.count - 1].busy += step.ended - step.began
        blocks[blocks.count - 1].steps = last.steps.lowerBound..<index + 1
      } else {
        blocks.append(
          Block(
            name: step.name, qos: qos, began: step.began, ended: step.ended,
            busy: step.ended - step.began, steps: index..<index + 1))
      }
    }
    return blocks
  }
}

/// The workers' time as a bar, divided among operations.
struct OperationBar {
  /// The parts, with their times in nanoseconds.
  let parts: [(name: String, time: Int)]
  let total: Int
  private static let fills = ["#c7dbf2", "#d3e8d0", "#fbe0bd", "#e8d3ea", "#cbe6e6", "#f6eeb4", "#f4cfcf", "#dfe3e8"]

  /// Collects the operations with the longest times: at most seven, with at least 0.5% of the total each. The rest of
  /// the steps' time becomes "other" if it is at least 0.5%.
  init(_ record: TraceRecord, _ times: OperationTimes) {
    let working = record.steps.filter { $0.row.kind != .waiting }
    let total = max(1, working.reduce(0) { $0 + $1.ended - $1.began })
    var parts = OperationTimes.sorted(times.total).prefix(Self.fills.count - 1).filter { $0.time * 200 >= total }
    let rest = total - parts.reduce(0) { $0 + $1.time }
    if !working.isEmpty && rest * 200 >= total { parts.append((name: "other", time: rest)) }
    self.parts = parts
    self.total = total
  }

  func svg(x: Double, y: Double, width: Double, height: Double) -> [String] {
    var left = x
    var svg: [String] = []
    for (index, part) in parts.enumerated() {
      let share = min(Double(part.time) / Double(total), 1)
      let partWidth = min(width * share, x + width - left)
      let fill = part.name == "other" ? Self.fills[Self.fills.count - 1] : Self.fills[index]
      let label = "\(part.name) \(Quantity.percent(share))"
      svg.append(
        SVGText.rectangle(
          x: left, y: y, width: max(0.5, partWidth - 0.7), height: height, "fill=\"\(fill)\"",
          title: "\(label), \(Quantity.time(part.time))"))
      if let text = SVGText.fitted([label, part.name], into: partWidth - 8, size: 11) {
        svg.append(
          // The fills are light, even if a page is otherwise dark.
          SVGText.text(text, x: left + 4, y: y + height / 2 + 4, "fill=\"#1f2328\""))
      }
      left += partWidth
    }
    return svg
  }
}
