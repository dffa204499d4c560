/// Reads the header, cross-reference and trailers, and checks that objects are where the cross-reference says (PDF
/// 32000-1:2008, 7.5).
///
/// Supports tables, cross-reference streams, and files with both (7.5.8.4).
struct CrossReferenceReader {
  private let bytes: UnsafeRawBufferPointer
  /// The places of objects by number: the offset in the file, the negative number of the object stream that contains
  /// the object, or 0 if there is no such object.
  private(set) var places: [Int] = []
  private(set) var trailer: [String: PDFValue] = [:]
  private(set) var faults: [Fault] = []
  /// Generations other than 0, by object number.
  private(set) var generations: [Int: Int] = [:]
  /// Whether any section is a cross-reference stream, and whether readers need one to find all objects. A stream that
  /// only supplements a table is not needed, because older readers ignore it (7.5.8.4).
  private(set) var hasStreams = false
  private(set) var needsStreams = false
  /// The offset of the newest section.
  private(set) var place = 0
  /// The offset of the dictionary of the last section that was read.
  private var dictionaryPlace = 0
  /// The highest object number in any section, including free ones.
  private var highest = -1
  /// Whether a table has entries that are not 20 bytes long.
  private var isOddTable = false
  /// The maximum number of objects in a file (Annex C).
  private static let maximumObjects = 8_388_607
  /// The maximum size in bytes of an uncompressed cross-reference stream: twenty per object.
  private static let maximumBytes = maximumObjects * 20

  /// The second places of objects that one revision lists twice, either in one section, or in a table and in the stream
  /// that the table's trailer names (7.5.8.4).
  private(set) var redefined: [(number: Int, place: Int)] = []
  /// The revision that defines each object's place, by object number. Revisions are counted from 0 for the newest; from
  /// the 256th on, all have the number 255.
  private var revisions: [UInt8] = []
  private var revision: UInt8 = 0
  private static let maximumRedefined = 64

  /// Releases the memory of the part of the file that has been read.
  private let release: () -> Void

  init(_ mapping: FileMapping) {
    bytes = mapping.bytes
    release = mapping.release
  }

  mutating func read() throws(Fault) {
    guard bytes.starts(with: Array("%PDF-".utf8)) else { throw .file(.notAPDF) }
    let end = try findEnd()
    let head = UnsafeRawBufferPointer(rebasing: bytes[..<end])
    guard let keyword = ByteSearch.last(Array("startxref".utf8), in: head, downTo: end - 1_024)
    else { throw .file(.truncated) }
    var lexer = PDFLexer(bytes, at: keyword + 9)
    guard let start = lexer.integer(), start > 0, start < bytes.count else { throw .table(.start(nil)) }
    place = start
    try follow(from: start)
    try readTrailer()
    guard trailer["Encrypt"] == nil else { throw .encryption(.encrypted) }
    checkOffsets()
  }

  /// Returns the offset of the last `%%EOF`, and reports bytes after it.
  private mutating func findEnd() throws(Fault) -> Int {
    let mark = Array("%%EOF".utf8)
    guard
      let end = ByteSearch.last(mark, in: bytes, downTo: bytes.count - Self.searchedBytes)
    else { throw .file(.truncated) }
    let start = ByteSearch.endOfLine(in: bytes, at: end + mark.count)
    let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
    let isBlank = rest.prefix(FileFault.toleratedTrailing + 1).allSatisfy { [9, 10, 13, 32].contains($0) }
    if isBlank, rest.count <= FileFault.toleratedTrailing { return end }
    // If objects follow, this `%%EOF` only ends the first part of a linearised file, or an earlier revision.
    guard ByteSearch.first(Array(" obj".utf8), in: rest, from: 0) == nil else { throw .file(.truncated) }
    faults.append(.file(.trailing(rest.count)))
    return end
  }
  /// The size of the part at the end of the file that is searched for `%%EOF`: 16 MB.
  private static let searchedBytes = 16 << 20

  /// Reads the newest section, then its predecessors.
  private mutating func follow(from start: Int) throws(Fault) {
    var next: Int? = start
    var visited: Set<Int> = []
    while let position = next {
      guard position > 0, position < bytes.count, visited.insert(position).inserted else {
        throw .table(.start(position))
      }
      var lexer = PDFLexer(bytes, at: position)
      let entries: [String: PDFValue]
      if lexer.accept("xref") {
        entries = try readTable(&lexer)
      } else {
        entries = try readStream(at: position)
        needsStreams = true
      }
      if trailer.isEmpty { (trailer, trailerPlace) = (entries, dictionaryPlace) }
      if let hidden = entries["XRefStm"]?.integer {
        guard hidden > 0, hidden < bytes.count, visited.insert(hidden).inserted else {
          throw .table(.start(hidden))
        }
        _ = try readStream(at: hidden)
      }
      next = entries["Prev"]?.integer
      if revision < .max { revision += 1 }
    }
  }

  private var trailerPlace = 0

  /// Reads the trailer again, because references in it depend on generations, which are known only now.
  private mutating func readTrailer() throws(Fault) {
    var lexer = PDFLexer(bytes, at: trailerPlace, generations: generations)
    guard let entries = lexer.value()?.dictionary else { throw .table(.malformed(trailerPlace)) }
    if let key = lexer.doubledKey { faults.append(.table(.doubledTrailerKey(key))) }
    trailer = entries
  }

  private mutating func readTable(_ lexer: inout PDFLexer) throws(Fault) -> [String: PDFValue] {
    while !lexer.accept("trailer") {
      guard let first = lexer.integer(), let count = lexer.integer(), first >= 0, count >= 0,
        first <= Self.maximumObjects, count <= Self.maximumObjects
      else { throw .table(.malformed(lexer.position)) }
      lexer.skipSpace()
      let start = lexer.position
      for number in first..<first + count {
        lexer.skipSpace()
        if lexer.position != start + (number - first) * 20, !isOddTable {
          isOddTable = true
          faults.append(.structure(.tableEntry(number)))
        }
        guard let offset = lexer.integer(), let generation = lexer.integer(),
          case .keyword(let kind)? = lexer.token(), kind == "n" || kind == "f"
        else { throw .table(.malformed(lexer.position)) }
        highest = max(highest, number)
        guard kind == "f" || offset >= 0 else { throw .table(.malformed(lexer.position)) }
        if kind == "n" { set(number, offset, generation) }
      }
    }
    dictionaryPlace = lexer.position
    guard let entries = lexer.value()?.dictionary else { throw .table(.malformed(lexer.position)) }
    return entries
  }

  /// Reads a cross-reference stream (7.5.8).
  private mutating func readStream(at position: Int) throws(Fault) -> [String: PDFValue] {
    var lexer = PDFLexer(bytes, at: position)
    guard lexer.integer() != nil, lexer.integer() != nil, lexer.accept("obj") else {
      throw .table(.start(position))
    }
    dictionaryPlace = lexer.position
    hasStreams = true
    guard let entries = lexer.value()?.dictionary, entries["Type"]?.name == "XRef",
      lexer.accept("stream"), let length = entries["Length"]?.integer
    else { throw .table(.start(position)) }
    let start = ByteSearch.endOfLine(in: bytes, at: lexer.position)
    guard length >= 0, length <= bytes.count - start else { throw .table(.start(position)) }
    let data = UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
    guard let decoded = StreamDecoder.decode(data, entries, limit: Self.maximumBytes) else {
      throw .table(.malformed(start))
    }
    try decoded.withUnsafeBufferPointer { (decoded) throws(Fault) in
      try readEntries(UnsafeRawBufferPointer(decoded), entries, at: start)
    }
    return entries
  }

  private mutating func readEntries(
    _ data: UnsafeRawBufferPointer, _ entries: [String: PDFValue], at offset: Int
  ) throws(Fault) {
    let widths = (entries["W"]?.array ?? []).compactMap(\.integer)
    guard widths.count == 3, widths.allSatisfy({ (0...8).contains($0) }),
      widths.reduce(0, +) > 0, let size = entries["Size"]?.integer
    else { throw .table(.malformed(offset)) }
    let index = (entries["Index"]?.array ?? []).compactMap(\.integer)
    let sections = index.isEmpty ? [0, size] : index
    var position = 0
    func field(_ width: Int) -> Int {
      var value: UInt64 = 0
      for _ in 0..<width {
        value = value << 8 | UInt64(data[position])
        position += 1
      }
      return Int(clamping: value)
    }
    for pair in stride(from: 0, to: sections.count - 1, by: 2) {
      let (first, count) = (sections[pair], sections[pair + 1])
      guard first >= 0, count >= 0, first <= Self.maximumObjects, count <= Self.maximumObjects,
        count * widths.reduce(0, +) <= data.count - position
      else { throw .table(.malformed(offset)) }
      for number in first..<first + count {
        let kind = widths[0] == 0 ? 1 : field(widths[0])
        let place = field(widths[1])
        let generation = field(widths[2])
        highest = max(highest, number)
        if kind == 1 { set(number, place, generation) }
        if kind == 2 {
          guard place > 0, place <= Self.maximumObjects else { throw .table(.malformed(offset)) }
          set(number, -place)
        }
      }
    }
  }

  /// Stores an entry, unless the object already has one. Another place in the same revision is added to `redefined`.
  private mutating func set(_ number: Int, _ place: Int, _ generation: Int = 0) {
    while places.count <= number {
      places.append(0)
      revisions.append(0)
    }
    guard places[number] == 0 else {
      let isOfSame = revisions[number] == revision && revision < .max
      if isOfSame, places[number] != place, redefined.count < Self.maximumRedefined {
        redefined.append((number, place))
      }
      return
    }
    places[number] = place
    revisions[number] = revision
    if generation != 0 { generations[number] = generation }
  }

  /// Checks that every entry leads to its object. Wrong entries are reported, and corrected by searching the file, so
  /// that the pages can still be checked.
  private mutating func checkOffsets() {
    var wrong: [Int] = []
    for number in places.indices where places[number] > 0 {
      if !isObject(number, at: places[number]) {
        wrong.append(number)
      } else if faults.count < Self.maximumGenerations {
        checkGeneration(number)
      }
      if number % 256 == 255 { release() }
    }
    checkSize()
    guard !wrong.isEmpty else { return }
    let found = searchObjects(Set(wrong))
    for number in wrong.prefix(8) {
      faults.append(.table(.offset(object: number, stated: places[number], actual: found[number])))
    }
    if wrong.count > 8 { faults.append(.table(.moreOffsets(wrong.count - 8))) }
    for number in wrong { places[number] = found[number] ?? 0 }
  }

  /// Checks that Size is one more than the highest object number (7.5.5). The fault is more severe if Size excludes an
  /// object in use, because readers ignore such objects.
  private mutating func checkSize() {
    guard let size = trailer["Size"]?.integer else {
      faults.append(.structure(.noSize))
      return
    }
    if size < places.count {
      faults.append(.table(.size(stated: size, actual: max(places.count, highest + 1))))
    } else if size != highest + 1 {
      faults.append(.structure(.size(stated: size, actual: highest + 1)))
    }
  }

  private mutating func checkGeneration(_ number: Int) {
    var lexer = PDFLexer(bytes, at: places[number])
    let stated = generations[number] ?? 0
    guard lexer.integer() == number, let actual = lexer.integer(), actual != stated else { return }
    faults.append(.structure(.generation(number, stated: stated, actual: actual)))
  }

  private func isObject(_ number: Int, at offset: Int) -> Bool {
    // No digit may precede the number, which could otherwise be the end of a longer one.
    guard offset > 0, offset < bytes.count, (0x30...0x39).contains(bytes[offset]),
      !(0x30...0x39).contains(bytes[offset - 1])
    else { return false }
    var lexer = PDFLexer(bytes, at: offset)
    return lexer.integer() == number && lexer.integer() != nil && lexer.accept("obj")
  }

  /// The number of faults after which wrong generations are no longer reported.
  private static let maximumGenerations = 8

  /// Searches for `NUMBER GENERATION obj` at the starts of lines. If a number occurs several times, the last occurrence
  /// counts.
  private func searchObjects(_ wanted: Set<Int>) -> [Int: Int] {
    var found: [Int: Int] = [:]
    var position = 0
    let needle = Array(" obj".utf8)
    while let hit = ByteSearch.first(needle, in: bytes, from: position) {
      position = hit + needle.count
      var start = hit
      while start > 0, hit - start < 24, bytes[start - 1] != 10, bytes[start - 1] != 13 { start -= 1 }
      var lexer = PDFLexer(bytes, at: start)
      if let number = lexer.integer(), wanted.contains(number), isObject(number, at: start) {
        found[number] = start
      }
    }
    return found
  }
}
