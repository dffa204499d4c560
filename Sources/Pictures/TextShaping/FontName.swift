/// Reads the PostScript name of a font: name ID 6 in its `name` table (OpenType 1.9, name).
enum FontName {
  /// Returns the name without characters that need escapes in a PDF name; `"Font"` if there is no name.
  static func postScript(_ table: SFNTTable) -> String {
    let name = records(table).first.map { text($0, table) } ?? ""
    let allowed = name.unicodeScalars.filter {
      (0x21...0x7e).contains($0.value) && !"()<>[]{}/%#".unicodeScalars.contains($0)
    }
    let result = String(String.UnicodeScalarView(allowed.prefix(63)))
    return result.isEmpty ? "Font" : result
  }

  private struct Record {
    let platform, offset, length: Int
  }

  /// Returns the records of the PostScript name, with those for Windows first, because their encoding is known.
  private static func records(_ table: SFNTTable) -> [Record] {
    guard let count = table.unsigned16(2), let start = table.unsigned16(4) else { return [] }
    var records: [Record] = []
    for index in 0..<count {
      let place = 6 + index * 12
      guard let platform = table.unsigned16(place), table.unsigned16(place + 6) == 6,
        let length = table.unsigned16(place + 8), let offset = table.unsigned16(place + 10),
        start + offset + length <= table.count
      else { continue }
      records.append(Record(platform: platform, offset: start + offset, length: length))
    }
    return records.sorted { ($0.platform == 3 ? 0 : 1) < ($1.platform == 3 ? 0 : 1) }
  }

  private static func text(_ record: Record, _ table: SFNTTable) -> String {
    let bytes = table.bytes[record.offset..<record.offset + record.length]
    guard record.platform != 1 else { return String(decoding: bytes, as: UTF8.self) }
    let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }
}

/// An SFNT table of a font (OpenType 1.9; all numbers are big-endian). Reading outside of it returns nil.
package struct SFNTTable {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package var count: Int { bytes.count }

  package func unsigned8(_ offset: Int) -> Int? { offset >= 0 && offset < bytes.count ? Int(bytes[offset]) : nil }

  package func unsigned16(_ offset: Int) -> Int? {
    guard offset >= 0, offset + 2 <= bytes.count else { return nil }
    return Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
  }

  package func signed16(_ offset: Int) -> Int? { unsigned16(offset).map { Int(Int16(truncatingIfNeeded: $0)) } }

  /// Reads a 16.16 fixed-point number.
  package func fixed(_ offset: Int) -> Double? {
    guard let high = signed16(offset), let low = unsigned16(offset + 2) else { return nil }
    return Double(high) + Double(low) / 65_536
  }
}

/// The charset of a CID-keyed CFF font: the character identifier (CID) of each glyph (Adobe Technical Note 5176).
///
/// A PDF refers to the glyphs of such a font by CID, and to those of any other CFF font by index.
package struct CFFCharset {
  /// The CID of each glyph.
  package let identifiers: [UInt16]

  /// Reads the charset from the table `CFF `; nil if the font is not CID-keyed.
  ///
  /// - Throws: `FontProblem.damaged` for a table that cannot be read.
  static func read(_ table: SFNTTable, glyphCount: Int) throws(FontProblem) -> CFFCharset? {
    guard let headerSize = table.unsigned8(2), let names = index(table, at: headerSize),
      let tops = index(table, at: names.end), let top = tops.first
    else { throw .damaged }
    let entries = dictionary(table, top)
    // Only CID-keyed fonts have the operator ROS: registry, ordering, supplement.
    guard entries[0x0c1e] != nil else { return nil }
    guard let place = entries[15]?.last, let identifiers = charset(table, place, glyphCount) else {
      throw .damaged
    }
    return CFFCharset(identifiers: identifiers)
  }

  /// Returns the first item of an INDEX (section 5), and the offset of the end of the INDEX.
  private static func index(_ table: SFNTTable, at start: Int) -> (first: Range<Int>?, end: Int)? {
    guard let count = table.unsigned16(start) else { return nil }
    if count == 0 { return (nil, start + 2) }
    guard let size = table.unsigned8(start + 2), (1...4).contains(size) else { return nil }
    let data = start + 3 + (count + 1) * size - 1
    func offset(_ index: Int) -> Int? {
      var value = 0
      for byte in 0..<size {
        guard let next = table.unsigned8(start + 3 + index * size + byte) else { return nil }
        value = value << 8 | next
      }
      return value
    }
    guard let from = offset(0), let to = offset(1), let end = offset(count), from >= 1, from <= to,
      to <= end, data + end <= table.count
    else { return nil }
    return (data + from..<data + to, data + end)
  }

  /// Returns the integer operands of a DICT (section 4) by operator. Two-byte operators are `0x0c00` plus the second
  /// byte.
  private static func dictionary(_ table: SFNTTable, _ range: Range<Int>) -> [Int: [Int]] {
    var result: [Int: [Int]] = [:]
    var operands: [Int] = []
    var place = range.lowerBound
    func byte(_ offset: Int) -> Int { table.unsigned8(offset) ?? 0 }
    while place < range.upperBound {
      let first = byte(place)
      place += 1
      switch first {
      case 0...21:
        let isLong = first == 12
        result[isLong ? 0x0c00 | byte(place) : first] = operands
        if isLong { place += 1 }
        operands = []
      case 28:
        operands.append(table.signed16(place) ?? 0)
        place += 2
      case 29:
        operands.append((table.signed16(place) ?? 0) << 16 | (table.unsigned16(place + 2) ?? 0))
        place += 4
      case 30:
        // A real number consists of nibbles up to the first 15. Its value is not needed.
        while place < range.upperBound, byte(place) & 15 != 15, byte(place) >> 4 != 15 { place += 1 }
        place += 1
        operands.append(0)
      case 32...246: operands.append(first - 139)
      case 247...250:
        operands.append((first - 247) * 256 + byte(place) + 108)
        place += 1
      case 251...254:
        operands.append(-(first - 251) * 256 - byte(place) - 108)
        place += 1
      default: break
      }
    }
    return result
  }

  /// Reads the charset (section 13). Glyph 0 is CID 0 and is not listed.
  private static func charset(_ table: SFNTTable, _ start: Int, _ glyphCount: Int) -> [UInt16]? {
    var result: [UInt16] = [0]
    guard let format = table.unsigned8(start) else { return nil }
    var place = start + 1
    while result.count < glyphCount {
      guard let first = table.unsigned16(place) else { return nil }
      var more = 0
      switch format {
      case 0: place += 2
      case 1:
        guard let left = table.unsigned8(place + 2) else { return nil }
        more = left
        place += 3
      case 2:
        guard let left = table.unsigned16(place + 2) else { return nil }
        more = left
        place += 4
      default: return nil
      }
      guard first + more <= 65_535 else { return nil }
      for value in first...first + more where result.count < glyphCount { result.append(UInt16(value)) }
    }
    return result
  }
}
