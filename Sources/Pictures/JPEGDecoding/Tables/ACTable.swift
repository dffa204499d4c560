/// A lookup table that decodes the codes and values of AC coefficients (T.81, F.1.2.2) together. One lookup yields up
/// to two coefficients or, if their values are not needed, as many as fit.
///
/// An entry for two coefficients contains, from the lowest bits up:
/// - 8 bits: the length of both; 8 bits: the length of the first,
/// - 8 bits: the step of the first in the zigzag sequence; 8 bits: the step of both,
/// - 16 bits: the value of the first; 16 bits: the value of the second.
///
/// If there is no second coefficient, the entry repeats the first. The end of a block (EOB) steps by
/// `EntropyLimits.endOfBlock`. A run of 16 zeros (ZRL) steps by 16 and has the value 0, which may be stored because its
/// position is still empty. If the first symbol's code fits, but its value does not fit or may be too large, the length
/// of both is 0, the length of the first is that of its code, and its value is replaced by the number of its bits. The
/// entry 0 stands for longer codes and for invalid ones.
///
/// An entry for skipping contains the total length of its coefficients in 8 bits, and their total step in 8 bits; 0 if
/// no code fits. The bits of the last value may extend beyond those that index the table.
public final class ACTable {
  /// `1 << lookUpBits` entries for two coefficients. Owned by this object.
  let entries: UnsafeMutablePointer<UInt64>
  /// `1 << skipBits` entries for skipping, or one if skipping was not requested. Owned by this object.
  let skips: UnsafeMutablePointer<UInt16>
  /// See `HuffmanCode.writeSearch`. Owned by this object.
  let search: UnsafeMutableRawPointer

  /// - Parameters:
  ///   - largestStep: the largest quantisation step of the blocks that use the table. The table leaves out values that
  ///     could exceed `EntropyLimits.largestCoefficient` after dequantisation.
  ///   - skips: whether to create the entries for skipping.
  public init(_ code: HuffmanCode, largestStep: Int, skips makesSkips: Bool) {
    let largest = EntropyLimits.largestCoefficient / max(largestStep, 1)
    let singles = Singles(code, EntropyLimits.lookUpBits, largestValue: largest)
    entries = .allocate(capacity: 1 << EntropyLimits.lookUpBits)
    singles.writePairs(to: entries)
    skips = .allocate(capacity: makesSkips ? 1 << EntropyLimits.skipBits : 1)
    skips.initialize(repeating: 0, count: makesSkips ? 1 << EntropyLimits.skipBits : 1)
    if makesSkips { Singles(code, EntropyLimits.skipBits, largestValue: Int.max).writeSkips(to: skips) }
    search = .allocate(byteCount: HuffmanCode.searchByteCount, alignment: 16)
    code.writeSearch(to: search)
  }

  deinit {
    entries.deallocate()
    skips.deallocate()
    search.deallocate()
  }
}

extension HuffmanPointers {
  /// Creates pointers into tables, which must outlive them.
  public init(_ dc: DCTable, _ ac: ACTable) {
    self.init(dc: dc.entries, dcCodes: dc.search, ac: ac.entries, skip: ac.skips, acCodes: ac.search)
  }
}

/// For each pattern of `bits` bits, its first symbol and the symbol's value.
private struct Singles {
  struct Entry {
    /// The length of the code; 0 if the bits do not contain all of it.
    var codeLength: UInt8 = 0
    /// The length of the code and the value.
    var length: UInt8 = 0
    var advance: UInt8 = 0
    /// Whether the bits contain the whole value, and the value is not too large.
    var hasValue = false
    /// The value; if `hasValue` is false, the number of its bits.
    var value: Int16 = 0
  }

  let bits: Int
  var entries: [Entry]

  init(_ code: HuffmanCode, _ bits: Int, largestValue: Int) {
    self.bits = bits
    var entries = [Entry](repeating: Entry(), count: 1 << bits)
    entries.withUnsafeMutableBufferPointer { entries in
      let base = entries.baseAddress!
      code.forEach { code, length, symbol in
        let size = Int(symbol & 15)
        let run = Int(symbol >> 4)
        let used = length + size
        // EOB runs, which only occur in progressive files, end the block as in libjpeg.
        let advance = size > 0 ? run + 1 : run == 15 ? 16 : EntropyLimits.endOfBlock
        var entry = Entry(codeLength: UInt8(length), length: UInt8(used), advance: UInt8(advance), value: Int16(size))
        guard length <= bits else { return }
        (base + code << (bits - length)).update(repeating: entry, count: 1 << (bits - length))
        guard used <= bits else { return }
        entry.hasValue = true
        for extra in 0..<(1 << size) {
          let value = coefficient(extra, size)
          guard abs(value) <= largestValue else { continue }
          entry.value = Int16(value)
          let first = (code << size | extra) << (bits - used)
          (base + first).update(repeating: entry, count: 1 << (bits - used))
        }
      }
    }
    self.entries = entries
  }

  /// Returns the entry for the symbol that follows the first `used` bits of `index`; nil if its code is invalid, or
  /// does not fit into the remaining bits.
  @inline(__always)
  private func entry(_ index: Int, after used: Int) -> Entry? {
    let entry = entries[index << used & (1 << bits - 1)]
    return entry.codeLength > 0 && used + Int(entry.codeLength) <= bits ? entry : nil
  }

  func writePairs(to output: UnsafeMutablePointer<UInt64>) {
    for index in entries.indices {
      let first = entries[index]
      var last = first
      var length = first.hasValue ? first.length : 0
      var advance = first.advance
      if first.hasValue, advance < EntropyLimits.endOfBlock,
        let second = entry(index, after: Int(length)), second.hasValue, Int(length + second.length) <= bits
      {
        length += second.length
        advance += second.advance
        last = second
      }
      let firstLength = first.hasValue ? first.length : first.codeLength
      let lengths = UInt64(length) | UInt64(firstLength) << 8
      let advances = UInt64(first.advance) << 16 | UInt64(advance) << 24
      let values = UInt64(UInt16(bitPattern: first.value)) << 32 | UInt64(UInt16(bitPattern: last.value)) << 48
      (output + index).initialize(to: lengths | advances | values)
    }
  }

  /// Combines symbols until the next code does not fit, or the next step would pass the end of a block.
  func writeSkips(to output: UnsafeMutablePointer<UInt16>) {
    for index in entries.indices {
      var used = 0
      var advance = 0
      while used < bits, advance < EntropyLimits.endOfBlock, let next = entry(index, after: used) {
        let ends = next.advance >= EntropyLimits.endOfBlock
        if !ends, advance + Int(next.advance) > 63 { break }
        used += Int(next.length)
        advance += Int(next.advance)
      }
      output[index] = UInt16(used) | UInt16(advance) << 8
    }
  }
}
