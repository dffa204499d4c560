/// Numbers as reports show them.
enum ReportNumber {
  /// Rounded, without needless zeros: `595.28`, `12`.
  static func text(_ value: Double, decimals: Int) -> String {
    guard value.isFinite, value.magnitude < 1e12 else { return value > 0 ? "infinite" : "unknown" }
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((value * Double(scale)).rounded())
    let fraction = scaled.magnitude % UInt(scale)
    let sign = scaled < 0 ? "-" : ""
    let whole = "\(sign)\(scaled.magnitude / UInt(scale))"
    guard fraction > 0 else { return whole }
    let digits = String(fraction)
    var padded = String(repeating: "0", count: decimals - digits.count) + digits
    while padded.hasSuffix("0") { padded.removeLast() }
    return whole + "." + padded
  }
}
