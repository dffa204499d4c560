import ImageCore
import Scheduling

/// A drawing of a run: one row for each thread, coloured by class, and below the rows the number of ready items, the
/// admitted memory and the time of operations.
///
/// The result is an SVG file of at most a few megabytes without scripts or external styles and fonts; hovering over a
/// block shows its details.
package struct Timeline: Sendable {
  private let record: TraceRecord
  private let names: RowNames
  private let busy: BusyTimes
  private let times: OperationTimes

  package init(_ record: TraceRecord) {
    var record = record
    // The drawing also shows work that ends after the run.
    let last = record.steps.reduce(1) { max($0, $1.ended) }
    record.duration = max(record.duration, last)
    self.record = record
    names = RowNames(record.rows)
    busy = BusyTimes(record)
    times = OperationTimes(record.operations)
  }

  /// The dimensions of the drawing, in pixels.
  private enum Measure {
    static let left = 116.0
    static let right = 944.0
    static let head = 74.0
    static let kindGap = 5.0
    static let depthHeight = 46.0
    static let memoryHeight = 40.0
    static let plotGap = 10.0
    static let axisHeight = 24.0
    static let barHeight = 22.0
  }

  private var scale: TimeScale {
    TimeScale(left: Measure.left, right: Measure.right, duration: record.duration)
  }

  /// Returns the height of a row and the space below it. Unless there are very many rows, the rows of workers are the
  /// highest.
  private func rowSize(_ kind: TraceRow.Kind) -> (height: Double, gap: Double) {
    let isWorker = kind == .foreground || kind == .low
    switch names.rows.filter({ $0.kind != .waiting }).count {
    case ...12: return isWorker ? (24, 4) : (12, 2)
    case ...24: return isWorker ? (16, 3) : (11, 2)
    case ...48: return isWorker ? (12, 2) : (9, 1)
    default: return (9, 1)
    }
  }

  /// The drawing.
  package var svg: String {
    // Frames are drawn behind the other parts.
    var frames: [String] = []
    var parts: [String] = []
    var y = Measure.head
    var previous: TraceRow.Kind?
    let drawing = RowDrawing(record, names, times, scale)
    for row in names.rows {
      if let previous, previous != row.kind { y += Measure.kindGap }
      previous = row.kind
      let size = rowSize(row.kind)
      frames += rowFrame(row, y, size.height)
      parts += drawing.svg(row, y: y, height: size.height)
      y += size.height + size.gap
    }
    if !record.marks.isEmpty {
      parts += MarkDrawing(scale: scale).svg(record.marks, y: y)
      y += MarkDrawing.height
    }
    y += Measure.plotGap
    depth(y, &frames, &parts)
    y += Measure.depthHeight + Measure.plotGap
    memory(y, &frames, &parts)
    y += Measure.memoryHeight
    let axis = self.axis(from: Measure.head - 4, to: y)
    y += Measure.axisHeight + 8
    parts += operationBar(y)
    y += Measure.barHeight + 12
    if record.droppedCount > 0 {
      parts.append(
        SVGText.text(
          "incomplete: the last \(Quantity.count(record.droppedCount, "event")) did not fit into "
            + "memory", x: Measure.left, y: y + 4, "fill=\"#b3261e\""))
      y += 16
    }
    return ([header(y), head] + frames + axis + parts).joined(separator: "\n") + "\n</svg>\n"
  }

  // MARK: - parts

  /// The first characters of every drawing. A file that begins with them is a drawing, and may be replaced by a new
  /// one.
  package static let beginning = """
    <?xml version="1.0" encoding="UTF-8"?>
    <svg xmlns="http://www.w3.org/2000/svg" width="1000" height="
    """

  private func header(_ height: Double) -> String {
    let classes = QualityOfService.allCases
      .map { "  .\($0.name) { fill: \(ClassColour.fill($0)) }" }.joined(separator: "\n")
    return """
      \(Self.beginning)\(SVGText.number(height))" \
      viewBox="0 0 1000 \(SVGText.number(height))" \
      font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="11" \
      fill="#1f2328" role="img">
      <title>\(XMLText.content(headline))</title>
      <style>
        .faint { fill: #59636e }
        .grid { stroke: #d8dee4; stroke-width: 1; shape-rendering: crispEdges }
        .row { fill: #f3f5f8 }
      \(classes)
      </style>
      <rect x="0.5" y="0.5" width="999" height="\(SVGText.number(height - 1))" rx="6" \
      fill="#ffffff" stroke="#d8dee4"/>
      """
  }

  private var headline: String {
    "\(Quantity.time(record.duration)) on \(Quantity.count(record.workers, "worker")), "
      + "\(Quantity.percent(busy.machineShare)) busy"
  }

  private var head: String {
    let most = record.levels.reduce(0) { max($0, $1.readyCount) }
    let bytes = record.levels.reduce(0) { max($0, $1.bytes) }
    let facts = [
      Quantity.count(record.steps.count, "step"), "up to \(Quantity.grouped(most)) ready",
      "up to \(Quantity.bytes(bytes)) admitted",
    ].joined(separator: ", ")
    var parts = [
      SVGText.text(headline, x: 16, y: 27, "font-size=\"16\" font-weight=\"600\""),
      SVGText.text(facts, x: 984, y: 26, "class=\"faint\" text-anchor=\"end\""),
      SVGText.text(
        "busy", x: 984, y: Measure.head - 10, "class=\"faint\" text-anchor=\"end\""),
    ]
    var x = 16.0
    let used = Set(record.steps.compactMap(\.qos))
    for qos in QualityOfService.allCases.reversed() where used.contains(qos) {
      parts.append(SVGText.rectangle(x: x, y: 41, width: 12, height: 12, "class=\"\(qos.name)\" rx=\"2\""))
      parts.append(SVGText.text(qos.name, x: x + 17, y: 51))
      x += 17 + SVGText.width(qos.name, size: 11) + 18
    }
    let marks = Set(record.marks.map(\.kind))
    for kind in TraceRecord.Mark.Kind.allCases where marks.contains(kind) {
      parts.append(MarkDrawing.sign(kind, x: x + 6, y: 47))
      parts.append(SVGText.text(kind.rawValue, x: x + 16, y: 51, "class=\"faint\""))
      x += 16 + SVGText.width(kind.rawValue, size: 11) + 18
    }
    return parts.joined(separator: "\n")
  }

  private func rowFrame(_ row: TraceRow, _ y: Double, _ height: Double) -> [String] {
    let size = min(11, height - 1)
    let baseline = y + height / 2 + size * 0.36
    let font = "font-size=\"\(SVGText.number(size))\" text-anchor=\"end\""
    return [
      SVGText.rectangle(
        x: Measure.left, y: y, width: Measure.right - Measure.left, height: height,
        "class=\"row\""),
      SVGText.text(names[row], x: Measure.left - 8, y: baseline, font),
      SVGText.text(
        Quantity.percent(busy.share(row)), x: 984, y: baseline, "class=\"faint\" \(font)"),
    ]
  }

  private func axis(from top: Double, to bottom: Double) -> [String] {
    scale.ticks.flatMap { tick in
      let x = scale.x(tick.time)
      return [
        "<path class=\"grid\" d=\"M\(SVGText.number(x)) \(SVGText.number(top))"
          + "V\(SVGText.number(bottom + 4))\"/>",
        SVGText.text(
          tick.label, x: x, y: bottom + 17, "class=\"faint\" text-anchor=\"middle\""),
      ]
    }
  }

  /// Draws the number of items that were ready but not running, by class.
  private func depth(_ y: Double, _ frames: inout [String], _ parts: inout [String]) {
    let classes = Array(QualityOfService.allCases.reversed())
    let plot = AreaPlot(record.levels, scale, layerCount: classes.count) { level in
      classes.map { Double(level.readyCount($0)) }
    }
    frames += plotFrame(
      y, Measure.depthHeight, "ready", "to \(Quantity.grouped(Int(plot.peak)))")
    for (path, qos) in zip(plot.paths(y: y, height: Measure.depthHeight), classes) {
      guard let path else { continue }
      let title = "ready to run in \(qos.name)"
      parts.append(
        "<path class=\"\(qos.name)\" fill-opacity=\"0.75\" d=\"\(path)\"><title>\(title)</title>"
          + "</path>")
    }
  }

  private func memory(_ y: Double, _ frames: inout [String], _ parts: inout [String]) {
    let plot = AreaPlot(record.levels, scale, layerCount: 1) { [Double($0.bytes)] }
    frames += plotFrame(
      y, Measure.memoryHeight, "memory", "to " + Quantity.bytes(Int(plot.peak)))
    for case let path? in plot.paths(y: y, height: Measure.memoryHeight) {
      parts.append(
        "<path fill=\"#8a7fc0\" fill-opacity=\"0.75\" d=\"\(path)\"><title>memory admitted"
          + "</title></path>")
    }
  }

  private func plotFrame(_ y: Double, _ height: Double, _ name: String, _ most: String) -> [String] {
    [
      SVGText.rectangle(
        x: Measure.left, y: y, width: Measure.right - Measure.left, height: height,
        "class=\"row\""),
      SVGText.text(name, x: Measure.left - 8, y: y + height / 2 - 2, "text-anchor=\"end\""),
      SVGText.text(
        most, x: Measure.left - 8, y: y + height / 2 + 12,
        "class=\"faint\" text-anchor=\"end\""),
    ]
  }

  private func operationBar(_ y: Double) -> [String] {
    [
      SVGText.text("operations", x: Measure.left - 8, y: y + Measure.barHeight / 2 + 4, "text-anchor=\"end\"")
    ]
      + OperationBar(record, times).svg(
        x: Measure.left, y: y, width: Measure.right - Measure.left, height: Measure.barHeight)
  }
}

/// Draws marks in a row of their own. Marks of the same kind that are close together become one symbol.
struct MarkDrawing {
  let scale: TimeScale
  static let height = 13.0
  /// The width of a symbol, in pixels. The row is divided at this spacing; marks of a kind in one part become one
  /// symbol.
  private static let spacing = 8.0

  func svg(_ marks: [TraceRecord.Mark], y: Double) -> [String] {
    var groups: [Int: [TraceRecord.Mark.Kind: [TraceRecord.Mark]]] = [:]
    for mark in marks {
      let place = Int((scale.x(mark.time) - scale.left) / Self.spacing)
      groups[place, default: [:]][mark.kind, default: []].append(mark)
    }
    return groups.sorted { $0.key < $1.key }.flatMap { _, kinds in
      TraceRecord.Mark.Kind.allCases.compactMap { kind in
        kinds[kind].map { sign(kind, $0, y) }
      }
    }
  }

  private func sign(_ kind: TraceRecord.Mark.Kind, _ marks: [TraceRecord.Mark], _ y: Double) -> String {
    let details = marks.prefix(3).map(\.detail).joined(separator: ", ")
    let others = marks.count > 3 ? " and \(Quantity.grouped(marks.count - 3)) more" : ""
    let count = marks.count > 1 ? "\(Quantity.grouped(marks.count)) times " : ""
    let title = "\(count)\(kind.rawValue) at \(Quantity.time(marks[0].time)): \(details)\(others)"
    return Self.sign(kind, x: scale.x(marks[0].time), y: y + Self.height / 2, title: title)
  }

  static func sign(_ kind: TraceRecord.Mark.Kind, x: Double, y: Double, title: String? = nil) -> String {
    let shape: String
    switch kind {
    case .raised: shape = "d=\"M0 -4L4 3H-4Z\" fill=\"#b35900\""
    case .cancelled: shape = "d=\"M-3 -3L3 3M-3 3L3 -3\" stroke=\"#b3261e\" stroke-width=\"1.6\""
    case .failed: shape = "d=\"M-3.5 -3.5H3.5V3.5H-3.5Z\" fill=\"#b3261e\""
    case .bookWritten: shape = "d=\"M0 -4.5L4.5 0L0 4.5L-4.5 0Z\" fill=\"#1a7f37\""
    }
    let start =
      "<path \(shape) transform=\"translate(\(SVGText.number(x)) \(SVGText.number(y)))\""
    return title.map { start + "><title>\(XMLText.content($0))</title></path>" } ?? start + "/>"
  }
}
