/// Formats numbers for the tables.
package enum NumberText {
  /// Formats a time: with two decimals in seconds from 0.1 s, with one in milliseconds from 0.1 ms, and below that with
  /// one in microseconds or nanoseconds.
  package static func time(_ seconds: Double) -> String {
    if seconds < 1e-7 { return "\(decimal(seconds * 1e9, 1)) ns" }
    if seconds < 1e-4 { return "\(decimal(seconds * 1e6, 1)) \u{b5}s" }
    return seconds < 0.1 ? "\(decimal(seconds * 1000, 1)) ms" : "\(decimal(seconds, 2)) s"
  }

  /// Returns bytes as whole megabytes (10^6 bytes).
  package static func memory(_ bytes: Double) -> String { "\(Int((bytes / 1e6).rounded())) MB" }

  package static func decibels(_ ratio: Double) -> String { "\(decimal(ratio, 2)) dB" }

  /// Returns a number with the given number of decimals, 1 to 3.
  package static func decimal(_ value: Double, _ digits: Int) -> String {
    precondition((1...3).contains(digits))
    let scale = [10, 100, 1000][digits - 1]
    let scaled = Int((value.magnitude * Double(scale)).rounded())
    let rest = String(scaled % scale)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    return sign + "\(scaled / scale)." + String(repeating: "0", count: digits - rest.count) + rest
  }
}
