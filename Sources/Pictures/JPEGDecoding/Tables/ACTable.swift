/// Looks up AC coefficients (T.81, F.1.2.2), code and value at once: two of them, or, where values are not
/// wanted, as many as fit.
///
/// An entry of two holds, from the lowest bits up: 8 bits the length of both; 8 the length of the first; 8
/// what the first adds to the zigzag index; 8 what both add; 16 the first's value; 16 the second's. Where
/// there is no second it repeats the first. The end of a block adds `EntropyLimits.endOfBlock`, a run of 16
/// zeros (ZRL) adds 16 and has the value 0, which may be stored, as nothing has been stored there yet.
/// Where the first symbol's code fits and its value does not, the length of both is 0, the length of the first is
/// that of its code, and in place of the first's value stands how many bits it has. 0 is for longer codes.
///
/// An entry that skips holds 8 bits of length and 8 of what all add to the zigzag index; 0 for none. The bits of
/// the last value need not be among those that index the table.
public final class ACTable {
  /// `1 << lookUpBits` entries of two. Owned by this object.
  let entries: UnsafeMutablePointer<UInt64>
  /// `1 << skipBits` entries that skip, or one where that was not asked for. Owned by this object.
  let skips: UnsafeMutablePointer<UInt16>
  /// See `HuffmanCode.writeSearch`. Owned by this object.
  let search: UnsafeMutableRawPointer

  /// - Parameters:
  ///   - largestStep: of the quantisation of blocks that use it. Values that times this are more than
  ///     `EntropyLimits.largestCoefficient` are left to those who can see whether they are too large.
  ///   - skips: whether coefficients are to be skipped with it.
  public init(_ code: HuffmanCode, largestStep: Int, skips makesSkips: Bool) {
    let largest = EntropyLimits.largestCoefficient / max(largestStep, 1)
    let singles = Singles(code, EntropyLimits.lookUpBits, largestValue: largest)
    entries = .allocate(capacity: 1 << EntropyLimits.lookUpBits)
    singles.writePairs(to: entries)
    skips = .allocate(capacity: makesSkips ? 1 << EntropyLimits.skipBits : 1)
    skips.initialize(repeating: 0, count: makesSkips ? 1 << EntropyLimits.skipBits : 1)
    if makesSkips {
      Singles(code, EntropyLimits.skipBits, largestValue: Int.max).writeSkips(to: skips)
    }
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
  /// Pointers into tables, which must outlive them.
  public init(_ dc: DCTable, _ ac: ACTable) {
    self.init(
      dc: dc.entries, dcCodes: dc.search, ac: ac.entries, skip: ac.skips, acCodes: ac.search)
  }
}

/// The one symbol, with its value, that so many bits begin with.
private struct Singles {
  struct Entry {
    /// Of the code; 0 when the bits do not hold it.
    var codeLength: UInt8 = 0
    /// Of code and value.
    var length: UInt8 = 0
    var advance: UInt8 = 0
    /// Whether the bits hold the value, too, and it is not too large.
    var hasValue = false
    /// How many bits the value has where they do not hold it.
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
        // Runs of end of block, which only progressive files have, end the block as in libjpeg.
        let advance = size > 0 ? run + 1 : run == 15 ? 16 : EntropyLimits.endOfBlock
        var entry = Entry(
          codeLength: UInt8(length), length: UInt8(used), advance: UInt8(advance),
          value: Int16(size))
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

  /// The symbol at the front of what is left of `index` after its first `used` bits, if they hold its code.
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
        let second = entry(index, after: Int(length)), second.hasValue,
        Int(length + second.length) <= bits
      {
        length += second.length
        advance += second.advance
        last = second
      }
      let firstLength = first.hasValue ? first.length : first.codeLength
      let lengths = UInt64(length) | UInt64(firstLength) << 8
      let advances = UInt64(first.advance) << 16 | UInt64(advance) << 24
      let values =
        UInt64(UInt16(bitPattern: first.value)) << 32
        | UInt64(UInt16(bitPattern: last.value)) << 48
      (output + index).initialize(to: lengths | advances | values)
    }
  }

  /// Takes symbols as long as their codes fit and cannot by themselves pass the end of a block.
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
