import Scheduling

struct RowDrawing {
  let scale: TimeScale
  let record: TraceRecord
  let names: RowNames
  /// The width of a column in pixels: 1.5, or more for very many rows. Narrower blocks are combined in columns.
  let columnWidth: Double
  private let labels: BlockLabels
  private let steps: [TraceRow: [TraceRecord.Span]]
  private let operations: [TraceRow: [(span: TraceRecord.Span, own: Int)]]
  /// The maximum number of columns in a drawing, in all rows together.
  private static let mostColumns = 24_000.0
  /// The longest gap, in nanoseconds, that does not count as a pause between two steps of the same work.
  private static let adjacent = 100_000

  init(_ record: TraceRecord, _ names: RowNames, _ times: OperationTimes, _ scale: TimeScale) {
    self.record = record
    self.names = names
    self.scale = scale
    columnWidth = max(1.5, scale.width * Double(names.rows.count) / Self.mostColumns)
    labels = BlockLabels(Set(record.steps.lazy.filter { $0.row.kind != .waiting }.map(\.name)))
    steps = Dictionary(grouping: record.steps, by: \.row)
    let pairs = zip(record.operations, times.own).map { (span: $0, own: $1) }
    operations = Dictionary(grouping: pairs, by: \.span.row)
  }

  /// Returns a row's blocks, from `y` downwards.
  func svg(_ row: TraceRow, y: Double, height: Double) -> [String] {
    let steps = steps[row] ?? []
    let column = scale.time(columnWidth)
    let gap = max(Self.adjacent, Int(scale.time(0.6)))
    let content = RowBlocks(steps, column: column, gap: gap)
    var parts = content.columns.sorted { $0.key < $1.key }.flatMap { index, column in
      self.column(column, index, row, y, height)
    }
    var next = 0
    let all = operations[row] ?? []
    for block in content.blocks {
      var own: [String: Int] = [:]
      while next < all.count, all[next].span.began < block.began { next += 1 }
      while next < all.count, all[next].span.began <= block.ended {
        own[all[next].span.name, default: 0] += all[next].own
        next += 1
      }
      parts += self.block(block, own, row, y, height)
    }
    return parts
  }

  private func block(
    _ block: RowBlocks.Block, _ own: [String: Int], _ row: TraceRow, _ y: Double,
    _ height: Double
  ) -> [String] {
    let x = scale.x(block.began)
    let width = max(1, scale.x(block.ended) - x)
    // A thin white gap separates neighbours.
    let drawn = width > 3 ? width - 0.7 : width
    let rounding = width > 6 ? " rx=\"2\"" : ""
    var title = "\(block.name), \(block.qos.name): \(Quantity.time(block.busy))"
    if block.steps.count > 1 { title += " in \(Quantity.count(block.steps.count, "step"))" }
    title += " from \(Quantity.time(block.began)), \(names[row])"
    let parts = OperationTimes.sorted(own).prefix(6)
    if !parts.isEmpty {
      title += "; " + parts.map { "\($0.name) \(Quantity.time($0.time))" }.joined(separator: ", ")
    }
    var svg = [
      SVGText.rectangle(
        x: x, y: y, width: drawn, height: height,
        "class=\"\(block.qos.name)\"\(rounding)", title: title)
    ]
    let size = min(11, height - 3)
    let texts = labels.texts(block.name)
    if size >= 8, let text = SVGText.fitted(texts, into: drawn - 6, size: size) {
      svg.append(
        SVGText.text(
          text, x: x + 3, y: y + height / 2 + size * 0.36,
          "fill=\"\(ClassColour.text(block.qos))\" font-size=\"\(SVGText.number(size))\""
        ))
    }
    return svg
  }

  /// Draws a column with its classes stacked. The height shows how busy the row was, but is never too small to be
  /// visible.
  private func column(_ column: RowBlocks.Column, _ index: Int, _ row: TraceRow, _ y: Double, _ height: Double)
    -> [String]
  {
    let x = scale.left + Double(index) * columnWidth
    let width = min(columnWidth, scale.right - x)
    let share = min(1, Double(column.busy) / scale.time(columnWidth))
    let busy = max(1, column.busy)
    let title =
      column.names.joined(separator: ", ") + (column.hasMoreNames ? " and others" : "")
      + ": \(Quantity.time(column.busy)) in \(Quantity.count(column.blockCount, "block")) from "
      + "\(Quantity.time(Int(Double(index) * scale.time(columnWidth)))), \(names[row])"
    var top = y + height * (1 - max(0.35, share))
    let total = y + height - top
    return QualityOfService.allCases.reversed().compactMap { qos in
      let time = column.times[qos.rawValue]
      guard time > 0 || (column.busy == 0 && qos == .default) else { return nil }
      let part = column.busy == 0 ? total : total * Double(time) / Double(busy)
      defer { top += part }
      return SVGText.rectangle(x: x, y: top, width: width, height: part, "class=\"\(qos.name)\"", title: title)
    }
  }
}

/// The forms of names from which the labels of blocks are chosen.
struct BlockLabels {
  /// The common beginning of all names of files.
  private let shared: String

  /// - Parameter names: the names of all blocks; only names of files are used.
  init(_ names: Set<String>) {
    let names = names.filter { Self.stem($0) != nil }
    guard names.count > 1, var shared = names.first else {
      self.shared = ""
      return
    }
    for name in names where !name.hasPrefix(shared) {
      shared = String(zip(shared, name).prefix { $0 == $1 }.map(\.0))
    }
    self.shared = shared
  }

  /// Returns increasingly short forms of a name: whole, without its extension, and without the common beginning.
  func texts(_ name: String) -> [String] {
    var texts = [name]
    guard let stem = Self.stem(name) else { return texts }
    texts.append(stem)
    if shared.count > 1, stem.count > shared.count, stem.hasPrefix(shared) {
      texts.append(String(stem.dropFirst(shared.count)))
    }
    return texts
  }

  /// Returns the name without its extension; nil if it has no extension of at most four characters.
  private static func stem(_ name: String) -> String? {
    guard let point = name.lastIndex(of: "."), point > name.startIndex,
      name.distance(from: point, to: name.endIndex) <= 5
    else { return nil }
    return String(name[..<point])
  }
}
