enum Quantity {
  /// Returns nanoseconds as a time: `1.53 s`, `12.4 ms`, `85 µs`.
  static func time(_ nanoseconds: Int) -> String {
    switch abs(nanoseconds) {
    case 10_000_000_000...: decimal(Double(nanoseconds) / 1e9, 1) + " s"
    case 999_500_000...: decimal(Double(nanoseconds) / 1e9, 2) + " s"
    case 99_500_000...: decimal(Double(nanoseconds) / 1e6, 0) + " ms"
    case 999_500...: decimal(Double(nanoseconds) / 1e6, 1) + " ms"
    default: decimal(Double(nanoseconds) / 1e3, 0) + " µs"
    }
  }

  /// Returns bytes in powers of 1,000: `1.2 GB`, `85 MB`.
  static func bytes(_ count: Int) -> String {
    switch count {
    case 1_000_000_000...: decimal(Double(count) / 1e9, 1) + " GB"
    case 10_000_000...: decimal(Double(count) / 1e6, 0) + " MB"
    case 1_000_000...: decimal(Double(count) / 1e6, 1) + " MB"
    case 1000...: decimal(Double(count) / 1e3, 0) + " kB"
    default: "\(count) B"
    }
  }

  /// Returns a fraction as a percentage: `87%` for 0.87.
  static func percent(_ share: Double) -> String { decimal(share * 100, 0) + "%" }

  /// Returns a number with its noun: `1 picture`, `2 pictures`.
  static func count(_ count: Int, _ word: String) -> String {
    "\(grouped(count)) \(word)\(count == 1 ? "" : "s")"
  }

  /// Returns a number with grouped digits: `10,000`.
  static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(abs(number)).reversed().enumerated() {
      if index > 0 && index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + String(text.reversed())
  }

  /// Returns a number with this many digits after the point, independent of the C library's locale; `0` if the number
  /// is not finite, or its magnitude is 1e15 or more.
  static func decimal(_ value: Double, _ digits: Int) -> String {
    precondition(digits >= 0 && digits < 10)
    guard value.isFinite, abs(value) < 1e15 else { return "0" }
    var power = 1
    for _ in 0..<digits { power *= 10 }
    let scaled = Int((abs(value) * Double(power)).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return sign + String(scaled) }
    let fraction = String(scaled % power)
    return sign + String(scaled / power) + "." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}
