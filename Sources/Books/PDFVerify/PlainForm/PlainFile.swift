/// A file in the plain form, read once from beginning to end without following references. Everything in it is an
/// object, a part of the cross-reference, or white space between them.
///
/// The result therefore includes parts that readers, which follow references, may miss or interpret differently.
struct PlainFile {
  struct Object {
    let number: Int32
    let offset: Int
    let type: PlainScanner.Entries.Kind
    /// The range in `references` of the references that the object contains.
    let references: Range<Int>
  }

  /// A section of the cross-reference, and the offsets that lead readers to it.
  struct Section {
    let offset: Int
    var entries = PlainTable()
    /// The offset of the trailer's dictionary.
    let dictionary: Int
    let isStream: Bool
    /// The offset stated by the `startxref` that follows the section; 0 if `startxref` is omitted.
    var start = 0
    /// The range in `references` of the references that the trailer contains.
    var references = 0..<0
  }

  let bytes: UnsafeRawBufferPointer
  private(set) var objects: [Object] = []
  private(set) var sections: [Section] = []
  private(set) var references: [Int32] = []
  /// The offset of the first object's dictionary, if it is a linearisation dictionary; else nil.
  private(set) var linearization: Int?
  private var scanner: PlainScanner
  /// Releases the memory of the part of the file that has been read.
  private let release: () -> Void
  private static let releaseCount = 4_096

  init(_ mapping: FileMapping) throws(FormFault) {
    bytes = mapping.bytes
    release = mapping.release
    scanner = PlainScanner(mapping.bytes)
    try readHeader()
    repeat { try readPart() } while !isAtEnd
  }

  /// Reads `%PDF-1.4` and a comment of four bytes (7.5.2), each on its own line.
  private mutating func readHeader() throws(FormFault) {
    guard scanner.accept("%PDF-"), bytes.count > 15, bytes[8] == 10, bytes[9] == UInt8(ascii: "%"),
      bytes[10..<14].allSatisfy({ $0 != 10 && $0 != 13 }), bytes[14] == 10
    else { throw .header }
    scanner.position = 15
  }

  /// Whether the rest of the file is only white space that readers tolerate (Adobe PDF Reference 1.7, Appendix H.3,
  /// note 18).
  private var isAtEnd: Bool {
    let rest = bytes[scanner.position...]
    return rest.count <= FileFault.toleratedTrailing && rest.allSatisfy { [9, 10, 13, 32].contains($0) }
  }

  /// Reads objects up to the end of the file, or up to the end of the first part of a linearised file.
  private mutating func readPart() throws(FormFault) {
    var section: Section?
    while section == nil {
      try scanner.skipSpace()
      if scanner.acceptWord("xref") {
        section = try readTable(at: scanner.position - 4)
      } else {
        section = try readObject()
        if objects.count.isMultiple(of: Self.releaseCount) { release() }
      }
    }
    try scanner.skipSpace()
    guard var section else { return }
    section.start = try readEnd(of: section)
    sections.append(section)
  }

  /// Reads `startxref` and the rest of the section, and returns the offset that follows `startxref`; 0 if qpdf has
  /// omitted these lines, as it does in the first part of a linearised file with a cross-reference stream.
  private mutating func readEnd(of section: Section) throws(FormFault) -> Int {
    let isFirst = linearization != nil && sections.isEmpty
    guard scanner.acceptWord("startxref") else {
      guard isFirst, section.isStream, !scanner.isAtEnd else { throw .stray(at: scanner.position) }
      return 0
    }
    guard scanner.accept("\n"), let start = scanner.natural(), scanner.accept("\n%%EOF"),
      isAtEnd || scanner.accept("\n")
    else { throw .stray(at: scanner.position) }
    return start
  }

  /// Reads an object; returns it as a section if it is a cross-reference stream.
  private mutating func readObject() throws(FormFault) -> Section? {
    let offset = scanner.position
    guard let number = scanner.natural(), (1...PlainScanner.maximumObject).contains(number),
      scanner.acceptWord(" 0 obj")
    else { throw .stray(at: offset) }
    try scanner.skipSpace()
    let entries = try readValue(of: number)
    let range = scanner.moveReferences(to: &references)
    objects.append(Object(number: Int32(number), offset: offset, type: entries?.type ?? .other, references: range))
    guard let entries else { return nil }
    if entries.isLinearization, objects.count == 1 { linearization = entries.start }
    guard entries.type == .crossReference else { return nil }
    var section = Section(offset: offset, dictionary: entries.start, isStream: true)
    section.references = range
    section.entries = try PlainTable(stream: bytes, dictionary: entries.start, length: entries.length ?? 0)
    return section
  }

  /// Reads the value of an object, its stream and its end. Returns the entries if the value is a dictionary.
  private mutating func readValue(of number: Int) throws(FormFault) -> PlainScanner.Entries? {
    guard scanner.byte == UInt8(ascii: "<"), scanner.position + 1 < bytes.count,
      bytes[scanner.position + 1] == UInt8(ascii: "<")
    else {
      if scanner.acceptWord("null") { throw .nullObject(number) }
      try scanner.value()
      try readEnd(of: number)
      return nil
    }
    let entries = try scanner.dictionary()
    try scanner.skipSpace()
    if scanner.accept("stream\n") { try skipStream(of: number, entries) }
    try readEnd(of: number)
    return entries
  }

  private mutating func readEnd(of number: Int) throws(FormFault) {
    try scanner.skipSpace()
    guard scanner.acceptWord("endobj") else { throw .objectEnd(number) }
  }

  /// Skips a stream's data, an optional line feed, and `endstream`.
  private mutating func skipStream(of number: Int, _ entries: PlainScanner.Entries) throws(FormFault) {
    if entries.isExternal { throw .externalStream(number) }
    guard let length = entries.length, length <= bytes.count - scanner.position else { throw .streamLength(number) }
    scanner.position += length
    _ = scanner.accept("\n")
    guard scanner.acceptWord("endstream") else { throw .streamLength(number) }
  }

  private mutating func readTable(at offset: Int) throws(FormFault) -> Section {
    let entries = try PlainTable(&scanner)
    try scanner.skipSpace()
    var section = Section(offset: offset, entries: entries, dictionary: scanner.position, isStream: false)
    _ = try scanner.dictionary()
    section.references = scanner.moveReferences(to: &references)
    return section
  }
}
