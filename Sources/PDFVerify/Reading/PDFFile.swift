import ImageCore

/// A PDF as imghost's own reader sees it: strict about what imghost writes, honest about the rest.
///
/// `@unchecked Sendable`: immutable once opened, over memory that is only read.
final class PDFFile: @unchecked Sendable {
  /// An indirect object: its value, and where its stream's bytes lie.
  struct Object {
    let value: PDFValue
    /// Offset of the value in the file.
    let offset: Int
    let stream: Range<Int>?
    /// What is wrong with the stream's length.
    let streamFault: Fault?

    var dictionary: [String: PDFValue] { value.dictionary ?? [:] }
  }

  let mapping: FileMapping
  let trailer: [String: PDFValue]
  /// Offsets by object number; 0 for none.
  let offsets: [Int]
  /// What is wrong with the cross-reference table and the file around it.
  let faults: [Fault]

  var bytes: UnsafeRawBufferPointer { mapping.bytes }

  init(_ mapping: FileMapping) throws(Fault) {
    self.mapping = mapping
    var table = CrossReferenceReader(mapping.bytes)
    try table.read()
    trailer = table.trailer
    offsets = table.offsets
    faults = table.faults
  }

  /// An object by its number, nil where there is none.
  func object(_ number: Int) -> Object? {
    guard number > 0, number < offsets.count, offsets[number] > 0 else { return nil }
    var lexer = PDFLexer(bytes, at: offsets[number])
    guard lexer.integer() == number, lexer.integer() != nil, lexer.accept("obj") else {
      return nil
    }
    lexer.skipSpace()
    let offset = lexer.position
    guard let value = lexer.value() else { return nil }
    guard value.dictionary != nil, lexer.accept("stream") else {
      return Object(value: value, offset: offset, stream: nil, streamFault: nil)
    }
    return stream(number, value, offset, lexer.position)
  }

  /// What a value stands for, references followed.
  func resolve(_ value: PDFValue?) -> PDFValue {
    var value = value ?? .null
    for _ in 0..<16 {
      guard case .reference(let number) = value else { return value }
      value = object(number)?.value ?? .null
    }
    return .null
  }

  /// A stream object (7.3.8): its data starts after one end of line, and `endstream` follows it.
  private func stream(_ number: Int, _ value: PDFValue, _ offset: Int, _ keywordEnd: Int)
    -> Object
  {
    var start = keywordEnd
    if start < bytes.count, bytes[start] == 13 { start += 1 }
    if start < bytes.count, bytes[start] == 10 { start += 1 }
    if let length = statedLength(value), length >= 0, length <= bytes.count - start {
      var end = PDFLexer(bytes, at: start + length)
      if end.accept("endstream") {
        return Object(
          value: value, offset: offset, stream: start..<start + length, streamFault: nil)
      }
    }
    let actual = search("endstream", from: start)
    return Object(
      value: value, offset: offset, stream: actual.map { start..<$0 },
      streamFault: .streamLength(
        object: number, stated: statedLength(value), actual: actual.map { $0 - start }))
  }

  private func statedLength(_ value: PDFValue) -> Int? {
    let entry = value.dictionary?["Length"]
    guard case .reference(let number)? = entry else { return entry?.integer }
    // Not through `object`, which would follow a stream whose length refers to itself for ever.
    guard number > 0, number < offsets.count, offsets[number] > 0 else { return nil }
    var lexer = PDFLexer(bytes, at: offsets[number])
    guard lexer.integer() == number, lexer.integer() != nil, lexer.accept("obj") else {
      return nil
    }
    return lexer.value()?.integer
  }

  /// Where a word comes next; an end of line before it is not counted to what precedes.
  private func search(_ word: String, from start: Int) -> Int? {
    guard var found = ByteSearch.first(Array(word.utf8), in: bytes, from: start) else { return nil }
    if found > start, bytes[found - 1] == 10 { found -= 1 }
    if found > start, bytes[found - 1] == 13 { found -= 1 }
    return found
  }
}
