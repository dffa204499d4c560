/// Recognises the Netpbm formats by their complete headers, because many texts begin with the same two letters.
enum NetpbmSignature {
  /// Returns the family of a file by its first bytes; nil for any other file.
  static func family(_ prefix: [UInt8]) -> PNMCodec.Family? {
    guard prefix.count > 2, prefix[0] == UInt8(ascii: "P") else { return nil }
    var header = Header(rest: prefix[2...])
    switch prefix[1] {
    case UInt8(ascii: "1")...UInt8(ascii: "6"):
      return header.isAnymap(kind: prefix[1] - UInt8(ascii: "0")) ? .anymap : nil
    case UInt8(ascii: "7"): return header.isArbitraryMap() ? .arbitrary : nil
    case UInt8(ascii: "F"), UInt8(ascii: "f"): return header.isFloatMap() ? .anymap : nil
    default: return nil
    }
  }

  /// Parses words between white space, and skips comments from `#` to the end of the line (netpbm's pnm(5), pam(5)).
  private struct Header {
    var rest: ArraySlice<UInt8>

    /// Whether width, height and, except in bitmaps, the maximum value follow.
    mutating func isAnymap(kind: UInt8) -> Bool {
      guard hasSize() else { return false }
      switch kind {
      case 1: return word().map { $0.allSatisfy { $0 == "0" || $0 == "1" } } ?? true
      case 4: return true
      default: return number(upTo: 65_535)
      }
    }

    /// Whether lines with keywords follow.
    mutating func isArbitraryMap() -> Bool {
      guard rest.first == UInt8(ascii: "\n") || rest.first == UInt8(ascii: "\r") else { return false }
      let keywords = ["WIDTH", "HEIGHT", "DEPTH", "MAXVAL", "TUPLTYPE", "ENDHDR"]
      return word().map { keywords.contains($0) } ?? false
    }

    /// Whether width, height and a scale follow; the sign of the scale is the byte order.
    mutating func isFloatMap() -> Bool {
      hasSize() && word().flatMap { Double($0) }.map { $0.isFinite && $0 != 0 } ?? false
    }

    private mutating func hasSize() -> Bool {
      let most = 1_000_000_000
      return number(upTo: most) && number(upTo: most)
    }

    private mutating func number(upTo most: Int) -> Bool {
      guard let word = word(), word.allSatisfy(\.isNumber), let number = Int(word) else { return false }
      return (1...most).contains(number)
    }

    /// Returns the next word; nil at the end. White space must separate the first one from the format's letters.
    private mutating func word() -> String? {
      func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
      let start = rest.startIndex
      while let byte = rest.first, isSpace(byte) || byte == UInt8(ascii: "#") {
        rest = isSpace(byte) ? rest.dropFirst() : rest.drop { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      }
      guard rest.startIndex > start else { return nil }
      let word = rest.prefix { !isSpace($0) && $0 != UInt8(ascii: "#") }.prefix(32)
      rest = rest[word.endIndex...]
      return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }
  }
}
