import Scheduling

/// The names of the rows of a drawing, such as `foreground 0`, numbered without gaps within a kind.
struct RowNames {
  let rows: [TraceRow]
  private let names: [TraceRow: String]

  init(_ rows: [TraceRow]) {
    self.rows = rows
    var names: [TraceRow: String] = [:]
    var counts: [TraceRow.Kind: Int] = [:]
    for row in rows {
      let number = counts[row.kind, default: 0]
      counts[row.kind] = number + 1
      names[row] = row.kind == .script ? "script" : "\(Self.word(row.kind)) \(number)"
    }
    self.names = names
  }

  subscript(row: TraceRow) -> String { names[row] ?? Self.word(row.kind) }

  static func word(_ kind: TraceRow.Kind) -> String {
    switch kind {
    case .script: "script"
    case .foreground: "foreground"
    case .low: "background"
    case .waiting: "waiting"
    }
  }
}

enum ClassColour {
  /// Returns the fill colour of a block on a white background.
  static func fill(_ qos: QualityOfService) -> String {
    switch qos {
    case .userInteractive: "#d1344b"
    case .userInitiated: "#e8912d"
    case .default: "#3b76c9"
    case .utility: "#3f9b7c"
    case .background: "#9aa4b2"
    }
  }

  /// Returns the colour of a name that is drawn on the fill colour of its class.
  static func text(_ qos: QualityOfService) -> String {
    switch qos {
    case .userInteractive, .default, .utility: "#ffffff"
    case .userInitiated, .background: "#1f2328"
    }
  }

  /// Returns the nearest of the colours that trace viewers define by name: `ColorScheme` of
  /// https://chromium.googlesource.com/catapult/+/HEAD/tracing/tracing/base/color_scheme.html
  static func chromeName(_ qos: QualityOfService) -> String {
    switch qos {
    case .userInteractive: "rail_animation"
    case .userInitiated: "rail_idle"
    case .default: "rail_response"
    case .utility: "rail_load"
    case .background: "generic_work"
    }
  }
}
