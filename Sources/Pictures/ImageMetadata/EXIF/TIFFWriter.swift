/// A field of a TIFF directory to write.
enum TIFFField {
  /// A value in the form in which it was read, in the byte order of its block.
  case value(type: Int, bytes: [UInt8])
  case short(Int)
  case long(Int)
  case text(String)
  /// Nonnegative fractions, as numerators and denominators.
  case rationals([(Int, Int)])
  case directory(TIFFFields)
}

/// The fields of a directory by their tags.
typealias TIFFFields = [Int: TIFFField]

/// Writes a TIFF structure: a header, the main directory, and the values and directories that it refers to.
struct TIFFWriter {
  private let isLittleEndian: Bool
  private(set) var bytes: [UInt8]

  init(_ fields: TIFFFields, isLittleEndian: Bool) {
    self.isLittleEndian = isLittleEndian
    bytes = isLittleEndian ? [0x49, 0x49, 42, 0, 8, 0, 0, 0] : [0x4d, 0x4d, 0, 42, 0, 0, 0, 8]
    append(fields)
  }

  /// Appends a directory with its tags in ascending order, as the standard requires, followed by its values.
  private mutating func append(_ fields: TIFFFields) {
    let start = bytes.count
    bytes += [UInt8](repeating: 0, count: 2 + fields.count * 12 + 4)
    put(fields.count, size: 2, at: start)
    for (index, field) in fields.sorted(by: { $0.key < $1.key }).enumerated() {
      let place = start + 2 + index * 12
      put(field.key, size: 2, at: place)
      put(field.value, at: place)
    }
  }

  /// Writes the type, count and value of a field into its entry. Values of more than four bytes are appended.
  private mutating func put(_ field: TIFFField, at entry: Int) {
    func head(_ type: Int, _ count: Int, _ writer: inout TIFFWriter) {
      writer.put(type, size: 2, at: entry + 2)
      writer.put(count, size: 4, at: entry + 4)
    }
    switch field {
    case .value(let type, let value):
      head(type, value.count / TIFFReader.Entry.sizes[type], &self)
      if value.count <= 4 {
        bytes.replaceSubrange(entry + 8..<entry + 8 + value.count, with: value)
      } else {
        put(bytes.count, size: 4, at: entry + 8)
        // Values begin at even offsets.
        bytes += value + [UInt8](repeating: 0, count: value.count % 2)
      }
    case .short(let value):
      head(3, 1, &self)
      put(value, size: 2, at: entry + 8)
    case .long(let value):
      head(4, 1, &self)
      put(value, size: 4, at: entry + 8)
    case .text(let text):
      put(.value(type: 2, bytes: Array(text.utf8) + [0]), at: entry)
    case .rationals(let numbers):
      head(5, numbers.count, &self)
      put(bytes.count, size: 4, at: entry + 8)
      for part in numbers.flatMap({ [$0.0, $0.1] }) {
        bytes += [0, 0, 0, 0]
        put(part, size: 4, at: bytes.count - 4)
      }
    case .directory(let fields):
      head(4, 1, &self)
      put(bytes.count, size: 4, at: entry + 8)
      append(fields)
    }
  }

  private mutating func put(_ value: Int, size: Int, at offset: Int) {
    for index in 0..<size {
      let shift = isLittleEndian ? index * 8 : (size - 1 - index) * 8
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
    }
  }
}
