import Scheduling

/// The workers' time as a bar, divided among operations.
struct OperationBar {
  struct Part: Equatable {
    let name: String
    /// The time in nanoseconds.
    let time: Int
  }

  let parts: [Part]
  let total: Int
  private static let fills = ["#c7dbf2", "#d3e8d0", "#fbe0bd", "#e8d3ea", "#cbe6e6", "#f6eeb4", "#f4cfcf", "#dfe3e8"]

  /// Collects the operations with the longest times; all others and the rest of the steps become "other".
  init(_ record: TraceRecord, _ times: OperationTimes) {
    let working = record.steps.filter { $0.row.kind != .waiting }
    let total = max(1, working.reduce(0) { $0 + $1.ended - $1.began })
    let known = OperationTimes.sorted(times.total)
    var parts = known.prefix(Self.fills.count - 1).filter { $0.time * 200 >= total }
      .map { Part(name: $0.name, time: $0.time) }
    let rest = total - parts.reduce(0) { $0 + $1.time }
    if !working.isEmpty && rest * 200 >= total { parts.append(Part(name: "other", time: rest)) }
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
