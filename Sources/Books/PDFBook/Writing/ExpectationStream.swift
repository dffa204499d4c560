import BookExpectations
import ImageCore
import Platform

/// The compressed stream of a book's expectations, which `imghost-verify` compares with the book. Pages are added one
/// by one. The stream takes 11 to 30 bytes per page, which are kept as `WaitingBytes`. In large books, a separate
/// thread compresses it.
///
/// From the first page whose content is incomplete, each page takes about 300 bytes of memory until the end.
struct ExpectationStream {
  private let packer: Packer
  private let packing: BackgroundConsumer<PageExpectation>
  /// The pages that cannot be compressed yet: the first incomplete page and those after it.
  private var waiting: [Waiting] = []
  /// The indices in `waiting` of incomplete pages, by the object of their missing content.
  private var places: [Int: Int] = [:]

  private struct Waiting {
    var page: PageExpectation
    /// The hash of the content so far; nil if the page is complete and only follows an incomplete one.
    let begun: SHA256?
  }

  /// The compressor of the pages, which it receives in order.
  ///
  /// `@unchecked Sendable`: only one thread at a time uses it: first the thread of `packing`, then the caller of
  /// `finish`.
  private final class Packer: @unchecked Sendable {
    var text = ExpectationsText()
    /// A window of 4 KB is sufficient, because lines mostly resemble those of the last few pages.
    let deflater = Deflater(level: 9, windowBits: 12, memoryLevel: 5)
    let packed = WaitingBytes()
    var failure: PDFError?

    func add(_ pages: [PageExpectation]) { add(text.lines(for: pages)) }

    func add(_ lines: UTF8Text) {
      guard failure == nil else { return }
      deflater.add(lines.bytes)
      do throws(PDFError) { try packed.append(deflater.takeOutput()) } catch { failure = error }
    }
  }

  init() {
    let packer = Packer()
    self.packer = packer
    packing = BackgroundConsumer(batchCount: 256) { packer.add($0) }
  }

  /// Adds the next page, whose content is complete.
  ///
  /// - Parameter content: the digest of its uncompressed content streams.
  mutating func add(_ page: consuming PageExpectation, content: SHA256Digest) {
    page.content = ShortDigest(content)
    guard waiting.isEmpty else { return waiting.append(Waiting(page: page, begun: nil)) }
    packing.add(page)
  }

  /// Adds the next page. A part of its content is written later, as another object.
  mutating func add(_ page: PageExpectation, content: [UInt8], then object: Int) {
    places[object] = waiting.count
    waiting.append(Waiting(page: page, begun: Self.begun(content)))
  }

  /// Starts hashing a page's content. A line end is added if it is missing, because readers put one between the streams
  /// of a page.
  private static func begun(_ content: [UInt8]) -> SHA256 {
    var hash = SHA256()
    hash.update(content.isEmpty || content.last == 10 ? content : content + [10])
    return hash
  }

  /// Completes the expectation of the page whose missing content is this object.
  mutating func complete(_ object: Int, _ content: [UInt8]) {
    guard let place = places[object], var hash = waiting[place].begun else { return }
    hash.update(content)
    waiting[place].page.content = ShortDigest(hash.finish())
  }

  /// Returns the whole zlib stream (RFC 1950). Called once, after the last page.
  mutating func finish(_ document: DocumentExpectation) throws(PDFError) -> WaitingBytes {
    for one in waiting { packing.add(one.page) }
    packing.finish()
    packer.add(packer.text.lines(for: document))
    packer.add(packer.text.end())
    packer.deflater.finish()
    if let failure = packer.failure { throw failure }
    try packer.packed.append(packer.deflater.takeOutput())
    return packer.packed
  }
}
