/// The entries of one section of the cross-reference, in the plain form (PDF 32000-1:2008, 7.5.4 and 7.5.8).
struct PlainTable {
  /// The place of an object.
  enum Place: Equatable {
    case free
    case offset(Int)
    case packed(stream: Int, index: Int)
  }

  /// The entries in the order of the file.
  private(set) var entries: [(number: Int, place: Place)] = []

  init() {}

  /// Reads a table after its keyword, up to its trailer's dictionary.
  init(_ scanner: inout PlainScanner) throws(FormFault) {
    guard scanner.accept("\n") else { throw .table(at: scanner.position) }
    while !scanner.acceptWord("trailer") {
      let start = scanner.position
      guard let first = scanner.natural(), scanner.accept(" "), let count = scanner.natural(), scanner.accept("\n"),
        first + count <= PlainScanner.maximumObject + 1
      else { throw .table(at: start) }
      for number in first..<first + count { entries.append((number, try Self.entry(number, &scanner))) }
    }
  }

  /// Reads an entry of 20 bytes.
  private static func entry(_ number: Int, _ scanner: inout PlainScanner) throws(FormFault) -> Place {
    let start = scanner.position
    guard let offset = digits(10, &scanner), scanner.accept(" "), let generation = digits(5, &scanner) else {
      throw .table(at: start)
    }
    if number == 0, offset == 0, generation == 65_535, scanner.accept(" f \n") { return .free }
    guard number > 0, generation == 0, scanner.accept(" n \n") else { throw .table(at: start) }
    return .offset(offset)
  }

  private static func digits(_ count: Int, _ scanner: inout PlainScanner) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard let byte = scanner.byte, (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
      scanner.position += 1
    }
    return value
  }

  /// Reads the data of a cross-reference stream.
  ///
  /// - Parameters:
  ///   - dictionary: the offset of the stream's dictionary.
  ///   - length: the length of the data, as the dictionary states it.
  init(stream bytes: UnsafeRawBufferPointer, dictionary: Int, length: Int) throws(FormFault) {
    var lexer = PDFLexer(bytes, at: dictionary)
    let values = lexer.value()?.dictionary ?? [:]
    guard lexer.accept("stream"), length <= bytes.count - lexer.position - 1,
      values.keys.allSatisfy(Self.keys.contains),
      let data = StreamDecoder.decode(
        UnsafeRawBufferPointer(rebasing: bytes[(lexer.position + 1)...].prefix(length)), values,
        limit: Self.maximumBytes)
    else { throw .table(at: dictionary) }
    let widths = (values["W"]?.array ?? []).compactMap(\.integer)
    guard widths.count == 3, widths.allSatisfy((0...8).contains), widths[0] == 1,
      let size = values["Size"]?.integer
    else { throw .table(at: dictionary) }
    let index = values["Index"].map { ($0.array ?? []).compactMap(\.integer) } ?? [0, size]
    try read(data, widths, index, at: dictionary)
  }

  /// The entries that a cross-reference stream may have, including those of a trailer.
  private static let keys: Set = [
    "Type", "Length", "Filter", "DecodeParms", "W", "Index", "Size", "Root", "Info", "ID", "Prev", "Encrypt",
  ]
  private static let maximumBytes = 20 * (PlainScanner.maximumObject + 1)

  private mutating func read(_ data: [UInt8], _ widths: [Int], _ index: [Int], at place: Int) throws(FormFault) {
    var position = 0
    func field(_ width: Int) -> Int {
      defer { position += width }
      return Int(clamping: data[position..<position + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
    let row = widths.reduce(0, +)
    for pair in stride(from: 0, to: index.count, by: 2) {
      guard pair + 1 < index.count, index[pair] >= 0, index[pair + 1] >= 0,
        index[pair] <= PlainScanner.maximumObject, index[pair + 1] <= (data.count - position) / row
      else { throw .table(at: place) }
      for number in index[pair]..<index[pair] + index[pair + 1] {
        let (kind, second, third) = (field(1), field(widths[1]), field(widths[2]))
        switch kind {
        case 0 where number == 0: entries.append((number, .free))
        case 1 where number > 0 && third == 0: entries.append((number, .offset(second)))
        case 2 where number > 0: entries.append((number, .packed(stream: second, index: third)))
        default: throw .table(at: place)
        }
      }
    }
    guard position == data.count else { throw .table(at: place) }
  }
}

/// The objects in object streams (PDF 32000-1:2008, 7.5.7). The cross-reference must list exactly the objects that the
/// streams contain, in the same order, because some readers find objects by number and others by index.
struct PlainMembers {
  /// Object numbers by stream and index.
  private var streams: [Int: [Int: Int]] = [:]
  private var references: [Int32] = []
  /// The range of each object's references in `references`, by object number.
  private var ranges: [Int: Range<Int>] = [:]
  private static let maximumBytes = 64 << 20

  mutating func add(_ number: Int, in stream: Int, at index: Int) throws(FormFault) {
    // Two objects at one place are distinct for readers that look up numbers, but the same for readers that look up
    // indices.
    guard streams[stream, default: [:]].updateValue(number, forKey: index) == nil else { throw .objectStream(stream) }
  }

  func references(of number: Int) -> ArraySlice<Int32> { references[ranges[number] ?? 0..<0] }

  /// Checks an object stream, and removes it from `streams`.
  mutating func check(_ stream: Int, at offset: Int, of bytes: UnsafeRawBufferPointer, isEncrypted: Bool)
    throws(FormFault)
  {
    guard let named = streams.removeValue(forKey: stream) else { throw .objectStream(stream) }
    let numbers = named.sorted { $0.key < $1.key }
    var lexer = PDFLexer(bytes, at: offset)
    guard lexer.integer() != nil, lexer.integer() != nil, lexer.accept("obj"), let entries = lexer.value()?.dictionary,
      lexer.accept("stream"), Set(entries.keys).isSubset(of: Self.keys),
      let length = entries["Length"]?.integer, length < bytes.count - lexer.position,
      entries["N"]?.integer == numbers.count, numbers.last?.key == numbers.count - 1
    else { throw .objectStream(stream) }
    if isEncrypted {
      // The data cannot be read, but qpdf always numbers the objects in a stream in ascending order.
      guard zip(numbers, numbers.dropFirst()).allSatisfy({ $0.value < $1.value }) else { throw .objectStream(stream) }
      return
    }
    let data = UnsafeRawBufferPointer(rebasing: bytes[(lexer.position + 1)...].prefix(length))
    guard let decoded = StreamDecoder.decode(data, entries, limit: Self.maximumBytes),
      let first = entries["First"]?.integer, (0...decoded.count).contains(first)
    else { throw .objectStream(stream) }
    try decoded.withUnsafeBufferPointer { (decoded) throws(FormFault) in
      try read(UnsafeRawBufferPointer(decoded), first, numbers.map(\.value), stream, at: offset)
    }
  }

  private static let keys: Set = ["Type", "N", "First", "Length", "Filter", "DecodeParms"]

  /// Reads all objects of a stream.
  private mutating func read(
    _ bytes: UnsafeRawBufferPointer, _ first: Int, _ numbers: [Int], _ stream: Int, at place: Int
  ) throws(FormFault) {
    var head = PlainScanner(UnsafeRawBufferPointer(rebasing: bytes[..<first]), reporting: place)
    var scanner = PlainScanner(bytes, at: first, reporting: place)
    for number in numbers {
      try head.skipSpace()
      guard head.natural() == number, head.accept(" "), let offset = head.natural() else { throw .objectStream(stream) }
      try scanner.skipSpace()
      guard scanner.position == first + offset else { throw .objectStream(stream) }
      if scanner.acceptWord("null") { throw .nullObject(number) }
      try scanner.value()
      let range = scanner.moveReferences(to: &references)
      guard ranges.updateValue(range, forKey: number) == nil else { throw .doubledObject(number) }
    }
    try head.skipSpace()
    try scanner.skipSpace()
    guard head.isAtEnd, scanner.isAtEnd else { throw .objectStream(stream) }
  }

  /// Checks that the file contains all streams that the cross-reference refers to.
  func checkIsEmpty() throws(FormFault) { if let missing = streams.keys.min() { throw .objectStream(missing) } }
}
