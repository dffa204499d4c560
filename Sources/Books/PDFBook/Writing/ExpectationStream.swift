import BookExpectations
import ImageCore

/// The stream of expectations, compressed as pages are added: 11 to 30 bytes a page, see `WaitingBytes`.
///
/// Once a page waits for content that is written later, each page from it on takes about 300 bytes of memory.
struct ExpectationStream {
  private var text = ExpectationsText()
  /// A small compressor of 32 KB is enough, because lines repeat those of the last few pages.
  private let deflater = Deflater(level: 9, windowBits: 12, memoryLevel: 5)
  private let packed = WaitingBytes()
  /// Pages that cannot be compressed yet, in order.
  private var waiting: [Waiting] = []
  /// The index in `waiting` of the page that waits for an object.
  private var places: [Int: Int] = [:]

  private struct Waiting {
    var page: PageExpectation
    /// The hash of the content that is known already; nil if the page only waits for those before it.
    let begun: SHA256?
  }

  /// Adds the next page, whose content is complete.
  ///
  /// - Parameter content: the digest of its uncompressed content streams.
  mutating func add(_ page: PageExpectation, content: SHA256Digest) throws(PDFError) {
    var page = page
    page.content = ShortDigest(content)
    guard waiting.isEmpty else { return waiting.append(Waiting(page: page, begun: nil)) }
    try pack(page)
  }

  /// Adds the next page, part of whose content is written later as another object.
  mutating func add(_ page: PageExpectation, content: [UInt8], then object: Int) {
    places[object] = waiting.count
    waiting.append(Waiting(page: page, begun: Self.begun(content)))
  }

  /// Starts hashing a page's content. Readers join its streams with an end of line.
  private static func begun(_ content: [UInt8]) -> SHA256 {
    var hash = SHA256()
    hash.update(content.isEmpty || content.last == 10 ? content : content + [10])
    return hash
  }

  /// Completes the page that waits for an object's content.
  mutating func complete(_ object: Int, _ content: [UInt8]) {
    guard let place = places[object], var hash = waiting[place].begun else { return }
    hash.update(content)
    waiting[place].page.content = ShortDigest(hash.finish())
  }

  private mutating func pack(_ page: PageExpectation) throws(PDFError) {
    deflater.add(Array(text.lines(for: page).utf8))
    try packed.append(deflater.takeOutput())
  }

  /// Returns the whole zlib stream (RFC 1950). Called once, after the last page.
  mutating func finish(_ document: DocumentExpectation) throws(PDFError) -> WaitingBytes {
    for one in waiting { try pack(one.page) }
    deflater.add(Array(text.lines(for: document).utf8))
    deflater.add(Array(text.end().utf8))
    deflater.finish()
    try packed.append(deflater.takeOutput())
    return packed
  }
}
