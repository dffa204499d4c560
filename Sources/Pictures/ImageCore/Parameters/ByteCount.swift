/// A number of bytes as text: `512M`, `80k`, `1.5GiB`.
public enum ByteCount {
  /// The largest number that is accepted.
  public static let most = 1_000_000_000_000_000

  /// Parses a number with an optional unit. `K`, `M`, `G` and `T`, in either case and also with `B` or `iB`, are powers
  /// of 1,024. Fractions of a byte are dropped.
  ///
  /// - Returns: nil for other text, and for numbers below 1 or above `most`.
  public static func parse(_ text: String) -> Int? {
    var digits = text.uppercased()
    for suffix in ["IB", "B"] where digits.hasSuffix(suffix) {
      digits.removeLast(suffix.count)
      break
    }
    let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30, "T": 40]
    var shift = 0
    if let last = digits.last, let found = shifts[last] {
      shift = found
      digits.removeLast()
    }
    // `Double` also takes hexadecimal digits, exponents, "inf" and "nan".
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
      let number = Double(digits)
    else { return nil }
    return exactly(number * Double(1 << shift))
  }

  /// Returns the whole bytes of a number; nil for numbers below 1 or above `most`.
  static func exactly(_ number: Double) -> Int? {
    number >= 1 && number <= Double(most) ? Int(number) : nil
  }
}
