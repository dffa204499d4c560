import ImageCore

/// The last line of a run: `48 files written (12.3 MB), 1 failed, in 2.5 s`.
package enum SummaryLine {
  /// - Parameter qualities: the range of qualities that `save` chose to meet its goals; nil if there were no goals.
  package static func text(
    written: Int, kept: Int = 0, bytes: Int, failed: Int, cancelled: Int, qualities: ClosedRange<Int>? = nil,
    seconds: Double
  ) -> String {
    var parts = ["\(written) file\(written == 1 ? "" : "s") written (\(size(bytes)))"]
    if let qualities {
      let (low, high) = (qualities.lowerBound, qualities.upperBound)
      parts[0] += low == high ? " at quality \(low)" : " at quality \(low) to \(high)"
    }
    if kept > 0 { parts.append("\(kept) kept") }
    if failed > 0 { parts.append("\(failed) failed") }
    if cancelled > 0 { parts.append("\(cancelled) cancelled") }
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
