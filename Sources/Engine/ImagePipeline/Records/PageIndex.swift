import ImageCore
import Platform

/// The index of a document's pages, which is written along with it by `PageJournal`: where the document has the stream
/// of each page, and what else a later document needs of it.
///
/// After the first bytes come frames: the number of bytes in a frame (32 bits), a sum (64 bits), and the bytes. The
/// first byte tells the kind. The sum is the beginning of the SHA-256 of the previous sum and the bytes, so that a frame
/// counts only behind those that it was written behind. What follows the last whole frame was cut off by the end of a
/// process, and is ignored.
package struct PageIndex: Sendable {
  package struct Page: Sendable {
    /// The index of the page in its document.
    package let index: Int
    /// The stream of the page in its document.
    package let stream: EarlierPages.Part
    /// The place of the facts of the document's sink in the index.
    package let facts: Range<Int>
  }

  enum Kind: UInt8 {
    /// The bytes that the records write, first of all.
    case head = 0
    case page = 1
    /// Facts that later pages refer to.
    case shared = 2
    /// The identity of the complete document.
    case end = 3
  }

  static let magic = Array("imghost page index 2\n".utf8)
  static let prefixByteCount = 12
  /// The bytes of a page's frame before the facts: kind, index, offset, size and digest.
  private static let pageByteCount = 1 + 4 + 8 + 8 + 32

  /// The bytes that the records have written.
  package private(set) var head: [UInt8] = []
  package private(set) var pages: [Page] = []
  /// The places of facts that pages refer to, in their order.
  package private(set) var shared: [Range<Int>] = []
  /// The identity of the document; nil for one that is not complete.
  private var identity: [UInt8]?
  /// Whether no frame was cut off.
  package private(set) var isWhole = false

  /// Reads the whole frames of an index; nil if it has no head.
  package init?(_ file: InputFile) {
    guard let magic = try? file.bytes(at: 0, count: Self.magic.count), magic == Self.magic else { return nil }
    var place = magic.count
    var sum: UInt64 = 0
    // Frames are small, so many are read at once.
    var (buffer, start) = ([UInt8](), place)
    while place < file.byteCount, identity == nil {
      func bytes(_ range: Range<Int>) -> ArraySlice<UInt8>? {
        guard range.upperBound <= file.byteCount else { return nil }
        if range.lowerBound < start || range.upperBound > start + buffer.count {
          let count = max(range.count, min(256 << 10, file.byteCount - range.lowerBound))
          guard let read = try? file.bytes(at: range.lowerBound, count: count), read.count >= range.count else {
            return nil
          }
          (buffer, start) = (read, range.lowerBound)
        }
        return buffer[range.lowerBound - start..<range.upperBound - start]
      }
      let content = place + Self.prefixByteCount
      guard let prefix = bytes(place..<content) else { break }
      var reader = WireReader(prefix)
      guard let count = try? reader.integer(UInt32.self), let stated = try? reader.integer(UInt64.self),
        let frame = bytes(content..<content + Int(count)), Self.sum(of: frame, after: sum) == stated,
        add(frame, at: content)
      else { break }
      (sum, place) = (stated, content + frame.count)
    }
    guard !head.isEmpty else { return nil }
    isWhole = place == file.byteCount
  }

  static func sum(of frame: ArraySlice<UInt8>, after earlier: UInt64) -> UInt64 {
    var hash = SHA256()
    withUnsafeBytes(of: earlier) { hash.update($0) }
    frame.withUnsafeBytes { hash.update($0) }
    return hash.finish().prefix
  }

  /// Adds a frame; false if this version does not know it.
  private mutating func add(_ frame: ArraySlice<UInt8>, at place: Int) -> Bool {
    var reader = WireReader(frame)
    guard let kind = (try? reader.integer(UInt8.self)).flatMap(Kind.init), (kind == .head) == head.isEmpty else {
      return false
    }
    switch kind {
    case .head:
      head = Array(reader.rest)
      return !head.isEmpty
    case .shared: shared.append(place + 1..<place + frame.count)
    case .end: identity = Array(reader.rest)
    case .page:
      guard let index = try? reader.integer(UInt32.self), let offset = try? reader.integer(UInt64.self),
        let count = try? reader.integer(UInt64.self), offset <= UInt64(Int.max), count <= UInt64(Int.max) - offset,
        let digest = SHA256Digest(bytes: reader.rest.prefix(32))
      else { return false }
      pages.append(
        Page(
          index: Int(index), stream: (Int(offset)..<Int(offset + count), digest),
          facts: place + Self.pageByteCount..<place + frame.count))
    }
    return true
  }

  /// Whether this is the index of a complete document with these facts.
  package func belongs(toInode inode: UInt64, byteCount: UInt64, modified: UInt64) -> Bool {
    identity == Self.identity(inode, byteCount, modified)
  }

  static func identity(_ inode: UInt64, _ byteCount: UInt64, _ modified: UInt64) -> [UInt8] {
    var writer = WireWriter()
    for number in [inode, byteCount, modified] { writer.append(number) }
    return writer.bytes
  }

  /// The streams of the document in their order, each once.
  package var parts: [EarlierPages.Part] {
    Dictionary(pages.map { ($0.stream.place.lowerBound, $0.stream) }, uniquingKeysWith: { first, _ in first }).values
      .sorted { $0.place.lowerBound < $1.place.lowerBound }
  }
}

/// Writes the index of a document's pages while the document is written, so that a later run can take the pages that
/// were finished when a run ended, in whatever way: see `PageIndex`. Used by one worker at a time.
///
/// A journal that cannot be written is given up: the later run makes the pages again.
package final class PageJournal {
  /// −1 once it is given up.
  private var descriptor: Int32
  private var sum: UInt64 = 0
  private let remove: @Sendable () -> Void

  /// - Parameters:
  ///   - descriptor: an empty file that is open for appending. It is owned by the journal.
  ///   - head: what the records need to know of the document.
  ///   - remove: removes the journal, and the link to its document.
  package init(_ descriptor: Int32, head: [UInt8], remove: @escaping @Sendable () -> Void) {
    self.descriptor = descriptor
    self.remove = remove
    append(PageIndex.magic)
    add(.head, head)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Adds a page whose stream is in the document, or will be as soon as what is buffered is written.
  package func add(page index: Int, _ stream: EarlierPages.Part, facts: [UInt8]) {
    var writer = WireWriter()
    writer.append(UInt32(index))
    writer.append(UInt64(stream.place.lowerBound))
    writer.append(UInt64(stream.place.count))
    add(.page, writer.bytes + stream.digest.bytes + facts)
  }

  /// Adds facts that later pages refer to.
  package func add(shared facts: [UInt8]) { add(.shared, facts) }

  /// Ends the index of a complete document, which has no name yet.
  package func end(for document: OutputFile) {
    var status = stat()
    guard fstat(document.descriptor, &status) == 0 else { return giveUp() }
    let modified = UInt64(bitPattern: FileVersion(status).modified)
    add(.end, PageIndex.identity(UInt64(status.st_ino), UInt64(status.st_size), modified))
    if descriptor >= 0, DurableWrites.wait(for: [descriptor]) != 0 { giveUp() }
  }

  /// Forgets all pages, so that the disk has room again.
  package func discard() {
    giveUp()
    remove()
  }

  private func add(_ kind: PageIndex.Kind, _ bytes: [UInt8]) {
    guard descriptor >= 0 else { return }
    let frame = [kind.rawValue] + bytes
    sum = PageIndex.sum(of: frame[...], after: sum)
    var prefix = WireWriter()
    prefix.append(UInt32(frame.count))
    prefix.append(sum)
    append(prefix.bytes + frame)
  }

  private func append(_ bytes: [UInt8]) {
    // No frame behind one that was cut off could be read.
    if bytes.withUnsafeBytes({ writeAll($0, to: descriptor) }) != 0 { giveUp() }
  }

  private func giveUp() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}
