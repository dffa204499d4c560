/// Looks up differences of DC coefficients (T.81, F.1.2.1), code and value at once.
///
/// An entry is the number of bits, and the difference times 65536; 0 where code and difference together
/// have more than `EntropyLimits.lookUpBits`.
public final class DCTable {
  /// `1 << lookUpBits` entries. Owned by this object.
  let entries: UnsafeMutablePointer<UInt32>
  /// See `HuffmanCode.writeSearch`. Owned by this object.
  let search: UnsafeMutableRawPointer

  /// Nil when a symbol says more than 15 bits.
  public init?(_ code: HuffmanCode) {
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
  }

  deinit {
    entries.deallocate()
    search.deallocate()
  }
}

/// The value of `size` bits that follow a symbol: T.81, F.2.2.1, EXTEND.
func coefficient(_ extra: Int, _ size: Int) -> Int {
  size == 0 || extra >= 1 << (size - 1) ? extra : extra - (1 << size) + 1
}
