/// Reads the PostScript name of a font: record 6 of its `name` table (OpenType 1.9, name).
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

  /// Returns the records, with those for Windows first, because their encoding is known.
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
