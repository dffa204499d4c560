/// A lookup table that decodes the codes and values of DC differences (T.81, F.1.2.1) together.
///
/// An entry contains, from the lowest bits up: 8 bits of length; one bit that is set if an end of block follows, which
/// is then included in the length; from bit 16 on, the difference. An entry is 0 if the code is invalid, or if code
/// and difference together have more than `EntropyLimits.lookUpBits` bits.
public final class DCTable {
  /// `1 << lookUpBits` entries. Owned by this object.
  let entries: UnsafeMutablePointer<UInt32>
  /// See `HuffmanCode.writeSearch`. Owned by this object.
  let search: UnsafeMutableRawPointer

  /// Creates the table; nil if a symbol stands for more than 15 bits, which libjpeg does not accept.
  ///
  /// - Parameter ac: the code of the AC coefficients that follow.
  public init?(_ code: HuffmanCode, before ac: HuffmanCode) {
    guard code.symbols.allSatisfy({ $0 <= 15 }) else { return nil }
    let bits = EntropyLimits.lookUpBits
    entries = .allocate(capacity: 1 << bits)
    entries.initialize(repeating: 0, count: 1 << bits)
    search = .allocate(byteCount: HuffmanCode.searchByteCount, alignment: 16)
    code.writeSearch(to: search)
    let entries = entries
    code.forEach { code, length, symbol in
      let size = Int(symbol)
      let used = length + size
      guard used <= bits else { return }
      for extra in 0..<(1 << size) {
        let value = UInt32(truncatingIfNeeded: coefficient(extra, size))
        let first = (code << size | extra) << (bits - used)
        (entries + first).update(
          repeating: UInt32(used) | value << 16, count: 1 << (bits - used))
      }
    }
    ac.forEach { code, length, symbol in
      guard symbol == 0 else { return }
      for index in 0..<(1 << bits) where entries[index] != 0 {
        guard entries[index] & EntropyLimits.endsBlock == 0 else { continue }
        let left = bits - Int(entries[index] & 0xff)
        let rest = index & (1 << left - 1)
        guard left >= length, rest >> (left - length) == code else { continue }
        entries[index] += UInt32(length) | EntropyLimits.endsBlock
      }
    }
  }

  deinit {
    entries.deallocate()
    search.deallocate()
  }
}

/// Returns the value of `size` bits that follow a symbol: T.81, F.2.2.1, EXTEND.
func coefficient(_ extra: Int, _ size: Int) -> Int {
  size == 0 || extra >= 1 << (size - 1) ? extra : extra - (1 << size) + 1
}
