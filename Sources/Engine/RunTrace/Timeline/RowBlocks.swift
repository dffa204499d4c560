import Scheduling

/// The steps of a row in a drawing: blocks, and columns for blocks that are too narrow to be visible.
struct RowBlocks {
  /// Adjacent steps of the same work in the same class.
  struct Block {
    let name: String
    let qos: QualityOfService
    let began: Int
    var ended: Int
    /// The nanoseconds of the steps without the gaps between them.
    var busy: Int
    /// The indices of its steps in the row.
    var steps: Range<Int>
  }

  /// The narrow blocks in a column of pixels.
  struct Column {
    /// The nanoseconds by class.
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
  ///   - column: the nanoseconds of a column; narrower blocks become part of columns.
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
