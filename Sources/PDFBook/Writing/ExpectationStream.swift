import ImageCore

/// What the pages of a book should show, packed as they are added: about 30 bytes a page stay in memory.
struct ExpectationStream {
  private var text = ExpectationsText()
  /// 32 KB: lines repeat those of the last few pages.
  private let deflater = Deflater(level: 9, windowBits: 12, memoryLevel: 5)

  /// Notes the next page.
  ///
  /// - Parameter content: the digest of its content streams, unpacked; nil where a part is written later.
  mutating func add(_ page: PageExpectation, content: SHA256Digest?) {
    var page = page
    page.content = content.map { ShortDigest($0) }
    deflater.add(Array(text.lines(for: page).utf8))
  }

  /// The zlib stream (RFC 1950) of all of it. Called once.
  mutating func finish(_ document: DocumentExpectation) -> [UInt8] {
    deflater.add(Array(text.lines(for: document).utf8))
    deflater.add(Array(text.end().utf8))
    deflater.finish()
    return deflater.output
  }
}
