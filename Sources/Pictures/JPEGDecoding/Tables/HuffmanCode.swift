/// A Huffman code as a DHT segment gives it (T.81, B.2.4.2): its canonical codes in the order of length.
public struct HuffmanCode: Sendable, Equatable {
  /// Codes of 1 to 16 bits: how many there are of each length.
  let counts: [UInt8]
  /// Their symbols.
  let symbols: [UInt8]

  /// Nil for what is no prefix code, has a code of ones only, or not as many symbols as it says.
  ///
  /// - Parameters:
  ///   - counts: 16 of them, of codes of 1 to 16 bits.
  ///   - symbols: at least as many as `counts` says.
  public init?(counts: [UInt8], symbols: [UInt8]) {
    let total = counts.reduce(0) { $0 + Int($1) }
    guard counts.count == 16, total <= 256, symbols.count >= total else { return nil }
    // T.81, annex C: the next code of a length is the last plus one; of the next length, twice that.
    var code = 0
    for length in 1...16 {
      code += Int(counts[length - 1])
      guard code < 1 << length else { return nil }
      code <<= 1
    }
    self.counts = counts
    self.symbols = Array(symbols.prefix(total))
  }

  /// Calls `body` with the code, its length and its symbol.
  public func forEach(_ body: (_ code: Int, _ length: Int, _ symbol: UInt8) -> Void) {
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

  /// Bytes of what `writeSearch` writes.
  static let searchByteCount = 17 * 8 + 256

  /// Writes what finds any code by its length (T.81, F.2.2.3, DECODE, with codes aligned to 16 bits):
  /// 17 `UInt32`, the first 16-bit code that is longer; 17 `Int32`, what to add to a code of that length
  /// for the index of its symbol; 256 symbols. Index 0 of the first two is not used.
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
      memory.storeBytes(
        of: UInt32(code << (16 - length)), toByteOffset: length * 4, as: UInt32.self)
      code <<= 1
    }
    for (index, symbol) in symbols.enumerated() {
      memory.storeBytes(of: symbol, toByteOffset: 17 * 8 + index, as: UInt8.self)
    }
  }
}
