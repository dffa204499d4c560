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
