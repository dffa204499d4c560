/// A Huffman table as in a DHT segment (T.81, B.2.4.2): its canonical codes in the order of their lengths.
public struct HuffmanCode: Sendable, Equatable {
  /// The number of codes of each length, 1 to 16 bits.
  let counts: [UInt8]
  /// The symbols in the order of their codes.
  let symbols: [UInt8]

  /// Creates a code; nil if the counts do not form a prefix code, if they use the reserved code of all ones, or if
  /// there are too few symbols.
  ///
  /// - Parameters:
  ///   - counts: the numbers of codes with 1 to 16 bits.
  ///   - symbols: at least as many symbols as the sum of `counts`.
  public init?(counts: [UInt8], symbols: [UInt8]) {
    let total = counts.reduce(0) { $0 + Int($1) }
    guard counts.count == 16, total <= 256, symbols.count >= total else { return nil }
    // T.81, annex C: the next code of the same length is the previous code plus one; the first code of the next length
    // is twice that.
    var code = 0
    for length in 1...16 {
      code += Int(counts[length - 1])
      guard code < 1 << length else { return nil }
      code <<= 1
    }
    self.counts = counts
    self.symbols = Array(symbols.prefix(total))
  }

  /// Calls `body` with each code, its length and its symbol.
  func forEach(_ body: (_ code: Int, _ length: Int, _ symbol: UInt8) -> Void) {
    var code = 0
    var index = 0
    for length in 1...16 {
      for _ in 0..<Int(counts[length - 1]) {
        body(code, length, symbols[index])
        code += 1
        index += 1
      }
      code <<= 1
    }
  }

  /// The number of bytes that `writeSearch` writes.
  static let searchByteCount = 17 * 8 + 256

  /// Writes a table that finds any code by its length (T.81, F.2.2.3, DECODE, with codes aligned to 16 bits).
  ///
  /// The table consists of three arrays. Index 0 of the first two is unused.
  /// - 17 `UInt32`: for each length, the first longer code, aligned to 16 bits.
  /// - 17 `Int32`: for each length, the number to add to a code to get the index of its symbol.
  /// - 256 `UInt8`: the symbols.
  func writeSearch(to memory: UnsafeMutableRawPointer) {
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.searchByteCount)
    var code = 0
    var index = 0
    for length in 1...16 {
      let count = Int(counts[length - 1])
      memory.storeBytes(
        of: Int32(index - code), toByteOffset: 17 * 4 + length * 4, as: Int32.self)
      code += count
      index += count
      memory.storeBytes(of: UInt32(code << (16 - length)), toByteOffset: length * 4, as: UInt32.self)
      code <<= 1
    }
    for (index, symbol) in symbols.enumerated() {
      memory.storeBytes(of: symbol, toByteOffset: 17 * 8 + index, as: UInt8.self)
    }
  }
}
