import JPEGTables

/// Looks up Huffman codes by the next 16 bits.
struct HuffmanLookup {
  /// The code's length, 1 to 16, times 256, plus the symbol; 0 if the bits begin with no code.
  let entries: [UInt16]

  init(_ code: HuffmanCode) {
    var entries = [UInt16](repeating: 0, count: 1 << 16)
    code.forEach { code, length, symbol in
      let first = code << (16 - length)
      for index in first..<first + 1 << (16 - length) { entries[index] = UInt16(length) << 8 | UInt16(symbol) }
    }
    self.entries = entries
  }
}
