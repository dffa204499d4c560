/// The objects in object streams (PDF 32000-1:2008, 7.5.7). The objects that the cross-reference names must be exactly
/// those in the streams, in the same order and without gaps, because some readers find them by number and others by
/// index.
struct PlainMembers {
  /// Object numbers by stream and index.
  private var streams: [Int: [Int: Int]] = [:]
  private var references: [Int32] = []
  /// The range of each object's references in `references`.
  private var ranges: [Int: Range<Int>] = [:]
  private static let maximumBytes = 64 << 20

  mutating func add(_ number: Int, in stream: Int, at index: Int) {
    // A second object at the same place is noticed as missing when the stream is read.
    streams[stream, default: [:]][index] = number
  }

  func references(of number: Int) -> ArraySlice<Int32> { references[ranges[number] ?? 0..<0] }

  /// Checks a stream and removes its entries from those still to be checked.
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
      // qpdf numbers objects in the order in which streams contain them.
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
      let start = references.count
      references += scanner.references
      scanner.forgetReferences()
      guard ranges.updateValue(start..<references.count, forKey: number) == nil else { throw .doubledObject(number) }
    }
    try head.skipSpace()
    try scanner.skipSpace()
    guard head.isAtEnd, scanner.isAtEnd else { throw .objectStream(stream) }
  }

  /// Checks that all streams that the cross-reference names were found in the file.
  func checkIsEmpty() throws(FormFault) { if let missing = streams.keys.min() { throw .objectStream(missing) } }
}
