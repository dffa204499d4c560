import ImageCore
import Scheduling

/// Draws marks in a row of their own. Marks that are close together become one sign.
struct MarkDrawing {
  let scale: TimeScale
  static let height = 13.0
  /// The width of a sign, in pixels.
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
