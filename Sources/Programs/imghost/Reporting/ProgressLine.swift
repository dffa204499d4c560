import ImageCore

/// The line that shows how far a run is: `[#####     ] 23/48 pictures, 17.2 a second, 2 s left`.
enum ProgressLine {
  static func text(done: Int, of total: Int, seconds: Double, width: Int) -> String {
    var facts = "\(done)/\(total) pictures"
    if done > 0, seconds > 0.2 {
      let rate = Double(done) / seconds
      facts += ", \(SummaryLine.decimal(rate)) a second"
      if done < total {
        facts += ", \(duration(Double(total - done) / rate)) left"
      }
    }
    let room = width - facts.count - 4
    guard room >= 10, total > 0 else { return String(facts.prefix(max(0, width - 1))) }
    let bar = min(room, 30)
    let filled = bar * done / total
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: " ", count: bar - filled) + "] " + facts
  }

  static func duration(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded(.up))
    if whole < 60 { return "\(whole) s" }
    let minutes = whole / 60
    return minutes < 60 ? "\(minutes) min \(whole % 60) s" : "\(minutes / 60) h \(minutes % 60) min"
  }
}

/// The line at the end: `48 files written (12.3 MB), 1 failed, in 2.5 s`.
enum SummaryLine {
  static func text(written: Int, bytes: Int, failed: Int, cancelled: Int, seconds: Double) -> String
  {
    var parts = ["\(written) file\(written == 1 ? "" : "s") written (\(size(bytes)))"]
    if failed > 0 { parts.append("\(failed) failed") }
    if cancelled > 0 { parts.append("\(cancelled) cancelled") }
    return parts.joined(separator: ", ") + " in \(decimal(seconds)) s"
  }

  static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1_000: "\(bytes) bytes"
    case ..<1_000_000: "\(decimal(Double(bytes) / 1e3)) kB"
    case ..<1_000_000_000: "\(decimal(Double(bytes) / 1e6)) MB"
    default: "\(decimal(Double(bytes) / 1e9)) GB"
    }
  }

  /// One digit after the point, two below 1.
  static func decimal(_ value: Double) -> String {
    let scale = value < 1 ? 100.0 : 10
    return ParameterValue.text((value * scale).rounded() / scale)
  }
}
