/// A number of bytes as text, such as `512M`, `80k` or `1.5GiB`.
public enum ByteCount {
  /// The largest number of bytes that is accepted.
  public static let most = 1_000_000_000_000_000

  /// Parses a number with an optional unit: `K`, `M`, `G` or `T`, in upper or lower case, alone, with `B` or with `iB`.
  /// Fractions of a byte are dropped.
  ///
  /// - Parameter kilo: the number of bytes of a `K`: 1,000 for files, as in summaries, or 1,024 for memory. With `iB`
  ///   it is always 1,024.
  /// - Returns: nil for other text, and for numbers below 1 or above `most`.
  public static func parse(_ text: String, kilo: Double) -> Int? {
    var digits = text.uppercased()
    var kilo = kilo
    if digits.hasSuffix("IB") {
      kilo = 1_024
      digits.removeLast(2)
      guard let last = digits.last, "KMGT".contains(last) else { return nil }
    } else if digits.hasSuffix("B") {
      digits.removeLast()
    }
    var factor = 1.0
    if let last = digits.last, let power = ["K", "M", "G", "T"].firstIndex(of: last) {
      for _ in 0...power { factor *= kilo }
      digits.removeLast()
    }
    // `Double` would also accept hexadecimal digits, exponents, "inf" and "nan".
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
      let number = Double(digits)
    else { return nil }
    return exactly(number * factor)
  }

  /// Returns a number as whole bytes; nil for numbers below 1 or above `most`.
  static func exactly(_ number: Double) -> Int? {
    number >= 1 && number <= Double(most) ? Int(number) : nil
  }
}
