import BookExpectations
import ImageCore

/// What the pages of a book should show, packed as they are added: 11 to 30 bytes a page stay in memory. From
/// the first page on a part of whose content is written later, some 300.
struct ExpectationStream {
  private var text = ExpectationsText()
  /// 32 KB: lines repeat those of the last few pages.
  private let deflater = Deflater(level: 9, windowBits: 12, memoryLevel: 5)
  /// Pages that cannot be packed yet, and where to find them by the object that they wait for.
  private var waiting: [Waiting] = []
  private var places: [Int: Int] = [:]

  private struct Waiting {
    var page: PageExpectation
    /// Of what is known of its content.
    let begun: SHA256?
  }

  /// Notes the next page, all of whose content is known.
  ///
  /// - Parameter content: the digest of its content streams, unpacked.
  mutating func add(_ page: PageExpectation, content: SHA256Digest) {
    var page = page
    page.content = ShortDigest(content)
    guard waiting.isEmpty else { return waiting.append(Waiting(page: page, begun: nil)) }
    pack(page)
  }

  /// Notes the next page, of whose content an object is written later.
  mutating func add(_ page: PageExpectation, content: [UInt8], then object: Int) {
    places[object] = waiting.count
    waiting.append(Waiting(page: page, begun: Self.begun(content)))
  }

  /// Streams are one with an end of line between them, as programs have it that put them together.
  private static func begun(_ content: [UInt8]) -> SHA256 {
    var hash = SHA256()
    hash.update(content.isEmpty || content.last == 10 ? content : content + [10])
    return hash
  }

  /// Takes the content that a page waits for.
  mutating func complete(_ object: Int, _ content: [UInt8]) {
    guard let place = places[object], var hash = waiting[place].begun else { return }
    hash.update(content)
    waiting[place].page.content = ShortDigest(hash.finish())
  }

  private mutating func pack(_ page: PageExpectation) {
    deflater.add(Array(text.lines(for: page).utf8))
  }

  /// The zlib stream (RFC 1950) of all of it. Called once.
  mutating func finish(_ document: DocumentExpectation) -> [UInt8] {
    for one in waiting { pack(one.page) }
    deflater.add(Array(text.lines(for: document).utf8))
    deflater.add(Array(text.end().utf8))
    deflater.finish()
    return deflater.output
  }
}
