import ImageCore

/// New values for objects of a file, for an incremental update, which is appended to the file (PDF 32000-1:2008,
/// 7.5.6).
struct ObjectUpdate {
  let file: PDFFile
  private(set) var values: [Int: PDFValue] = [:]

  init(_ file: PDFFile) { self.file = file }

  /// Replaces the value of an object without a stream.
  mutating func replace(_ number: Int, by value: PDFValue) { values[number] = value }

  /// The bytes to append to the file; empty if no object was replaced.
  var bytes: [UInt8] {
    guard !values.isEmpty else { return [] }
    let start = file.bytes.count
    var bytes: [UInt8] = [10]
    var table = "xref\n"
    for (number, value) in values.sorted(by: { $0.key < $1.key }) {
      let offset = String(start + bytes.count)
      table += "\(number) 1\n" + String(repeating: "0", count: max(0, 10 - offset.count)) + offset
      table += " 00000 n \n"
      bytes += Array("\(number) 0 obj\n\(text(value))\nendobj\n".utf8)
    }
    let place = start + bytes.count
    // The trailer must not have the entries of a cross-reference stream.
    var trailer = file.trailer.filter { !Self.streamKeys.contains($0.key) }
    trailer["Prev"] = .integer(file.referencePlace)
    table += "trailer\n" + text(.dictionary(trailer)) + "\nstartxref\n\(place)\n%%EOF\n"
    return bytes + Array(table.utf8)
  }
  private static let streamKeys: Set = ["Type", "W", "Index", "Filter", "DecodeParms", "Length", "XRefStm"]

  private func text(_ value: PDFValue) -> String {
    switch value {
    case .null: return "null"
    case .boolean(let value): return "\(value)"
    case .integer(let value): return "\(value)"
    case .real(let value): return FaultText.number(max(-1e9, min(1e9, value)), decimals: 8)
    case .string(let bytes): return "<" + Hexadecimal.text(bytes) + ">"
    case .name(let name): return Self.name(name)
    case .array(let items): return "[" + items.map(text).joined(separator: " ") + "]"
    case .dictionary(let entries):
      let sorted = entries.sorted { $0.key < $1.key }
      return "<<" + sorted.map { Self.name($0.key) + " " + text($0.value) }.joined(separator: " ") + ">>"
    case .reference(let number): return "\(number) \(file.generation(number)) R"
    }
  }

  /// Returns a name in PDF syntax. Any byte of a name may be written as a number sign and two hexadecimal digits
  /// (7.3.5).
  private static func name(_ name: String) -> String {
    var result = "/"
    for byte in name.utf8 {
      let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
      result += isPlain ? String(UnicodeScalar(byte)) : "#" + Hexadecimal.text([byte])
    }
    return result
  }
}
