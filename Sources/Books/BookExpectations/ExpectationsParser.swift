import ImageCore

/// Parses the text form of expectations piece by piece, because for a book of thousands of pages the text is far larger
/// than the result.
public struct ExpectationsParser {
  private var reader = ExpectationsReader()
  private var hash = SHA256()
  private var number = 0
  private var isOver = false
  /// The beginning of an incomplete line.
  private var rest: [UInt8] = []

  /// - Parameter fingerprints: the file that keeps them; nil to keep them in memory.
  public init(keepingFingerprintsIn fingerprints: FingerprintFile? = nil) { reader.fingerprints = fingerprints }

  /// Parses the next bytes.
  public mutating func add(_ bytes: [UInt8]) throws(ExpectationsError) {
    var start = bytes.startIndex
    // Lines are split by bytes, because a combining mark may follow a space or a line end.
    while let end = bytes[start...].firstIndex(of: 10) {
      if rest.isEmpty {
        try read(bytes[start..<end])
      } else {
        rest += bytes[start..<end]
        try read(rest[...])
        rest = []
      }
      start = end + 1
    }
    rest += bytes[start...]
  }

  /// Returns the expectations. Called once, after the last byte.
  public mutating func finish() throws(ExpectationsError) -> VerificationExpectations {
    try read(rest[...])
    guard isOver else { throw .changed }
    reader.closePage()
    return VerificationExpectations(pages: reader.pages, document: reader.document)
  }

  private mutating func read(_ line: ArraySlice<UInt8>) throws(ExpectationsError) {
    number += 1
    if isOver {
      guard line.isEmpty else { throw .line(number) }
      return
    }
    if number == 1 {
      guard line.elementsEqual(ExpectationsText.title.utf8) else { throw .notExpectations }
    } else if line.starts(with: "end ".utf8) {
      let stated = ShortDigest(hexadecimal: String(decoding: line.dropFirst(4), as: UTF8.self))
      guard stated == ShortDigest(hash.finish()) else { throw .changed }
      isOver = true
      return
    } else if !reader.read(line) {
      throw .line(number)
    }
    hash.update(Array(line) + [10])
  }
}
