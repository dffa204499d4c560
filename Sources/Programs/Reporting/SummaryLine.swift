import ImageCore
import ImagePipeline

/// The last line of a run: `48 files written (12.3 MB), 1 failed in 2.5 s`.
package enum SummaryLine {
  /// - Parameter qualities: the range of qualities that `save` chose for a given file size or similarity; nil if none
  ///   was given.
  package static func text(_ totals: Run.Totals, qualities: ClosedRange<Int>? = nil, seconds: Double) -> String {
    var parts = ["\(totals.written) file\(totals.written == 1 ? "" : "s") written (\(size(totals.byteCount)))"]
    if let qualities {
      let (low, high) = (qualities.lowerBound, qualities.upperBound)
      parts[0] += low == high ? " at quality \(low)" : " at quality \(low) to \(high)"
    }
    if totals.kept > 0 { parts.append("\(totals.kept) kept") }
    if totals.failed > 0 { parts.append("\(totals.failed) failed") }
    if totals.cancelled > 0 { parts.append("\(totals.cancelled) cancelled") }
    return parts.joined(separator: ", ") + " in \(decimal(seconds)) s"
  }

  package static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1_000: "\(bytes) bytes"
    case ..<1_000_000: "\(decimal(Double(bytes) / 1e3)) kB"
    case ..<1_000_000_000: "\(decimal(Double(bytes) / 1e6)) MB"
    default: "\(decimal(Double(bytes) / 1e9)) GB"
    }
  }

  /// Returns a number rounded to one decimal place, or to two places if it is below 1.
  package static func decimal(_ value: Double) -> String {
    let scale = value < 1 ? 100.0 : 10
    return ParameterValue.text((value * scale).rounded() / scale)
  }
}

/// The progress of a run on one line: `[#####     ] 23/48 pictures, 17.2 a second, 2 s left`.
package enum ProgressLine {
  /// - Parameters:
  ///   - before: the number of pictures in `done` that were finished before the period of `seconds` began.
  ///   - prefix: further facts, printed first.
  package static func text(
    done: Int, of total: Int, before: Int = 0, seconds: Double, width: Int, prefix: String = ""
  ) -> String {
    var facts = prefix + "\(done)/\(total) pictures"
    if done > before, seconds > 0.2 {
      let rate = Double(done - before) / seconds
      facts += ", \(SummaryLine.decimal(rate)) a second"
      if done < total { facts += ", \(duration(Double(total - done) / rate)) left" }
    }
    let room = width - facts.count - 4
    guard room >= 10, total > 0 else { return String(facts.prefix(max(0, width - 1))) }
    let bar = min(room, 30)
    let filled = bar * done / total
    return "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: bar - filled) + "] " + facts
  }

  package static func duration(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded(.up))
    if whole < 60 { return "\(whole) s" }
    let minutes = whole / 60
    return minutes < 60 ? "\(minutes) min \(whole % 60) s" : "\(minutes / 60) h \(minutes % 60) min"
  }
}
