import ImageCore
import Platform

/// The index of a document's pages. It gives the place of each page's stream in the document, and other facts that a
/// later document needs to reuse the page. `PageJournal` writes it while the document is written.
///
/// The file starts with `magic`. Frames follow: the size of the contents (32 bits), a checksum (64 bits), and the
/// contents, whose first byte is the kind. The checksum is the beginning of the SHA-256 of the previous checksum and
/// the contents, so that a frame is valid only after the frames that preceded it when it was written. An incomplete
/// frame at the end comes from a process that ended early, and is ignored.
package struct PageIndex: Sendable {
  package struct Page: Sendable {
    /// The index of the page in its document.
    package let index: Int
    /// The part of the document with the page's stream.
    package let stream: EarlierPages.Part
    /// The range, in the index file, of the facts that the document's sink has added.
    package let facts: Range<Int>
  }

  enum Kind: UInt8 {
    /// The first frame. Only the records know the form of its contents.
    case head = 0
    case page = 1
    /// Facts that several later pages refer to.
    case shared = 2
    /// The identity of the document, written when the document is complete.
    case end = 3
  }

  static let magic = Array("imghost page index 2\n".utf8)
  static let prefixByteCount = 12
  /// The size of a page's contents without the facts: kind, index, offset, size and digest.
  private static let pageByteCount = 1 + 4 + 8 + 8 + 32

  /// The contents of the first frame, without the kind. They come from the run's records, which alone can read them.
  package private(set) var head: [UInt8] = []
  package private(set) var pages: [Page] = []
  /// The ranges of the facts that pages refer to, in the order of their frames.
  package private(set) var shared: [Range<Int>] = []
  /// The identity of the document; nil if it is incomplete.
  private var identity: [UInt8]?
  /// Whether the file ends with a complete frame.
  package private(set) var isWhole = false

  /// Reads the complete frames of an index; nil if the file is not an index or has no head.
  package init?(_ file: InputFile) {
    guard let magic = try? file.bytes(at: 0, count: Self.magic.count), magic == Self.magic else { return nil }
    var place = magic.count
    var sum: UInt64 = 0
    // Frames are small, so many are read at a time.
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

  /// Adds a frame; false if its kind or its contents are not valid.
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

  /// Returns whether this is the index of a complete document with this inode, size and time of modification.
  package func belongs(toInode inode: UInt64, byteCount: UInt64, modified: UInt64) -> Bool {
    identity == Self.identity(inode, byteCount, modified)
  }

  static func identity(_ inode: UInt64, _ byteCount: UInt64, _ modified: UInt64) -> [UInt8] {
    var writer = WireWriter()
    for number in [inode, byteCount, modified] { writer.append(number) }
    return writer.bytes
  }

  /// The streams of the finished pages in the order of their offsets, without duplicates.
  package var parts: [EarlierPages.Part] {
    Dictionary(pages.map { ($0.stream.place.lowerBound, $0.stream) }, uniquingKeysWith: { first, _ in first }).values
      .sorted { $0.place.lowerBound < $1.place.lowerBound }
  }
}

/// Writes the index of a document's pages while the document is written; see `PageIndex`. If the run ends early, even
/// by a crash, a later run can reuse the finished pages. Used by one worker at a time.
///
/// If the index cannot be written, it is given up, and a later run makes the pages again.
package final class PageJournal {
  /// The descriptor of the index; −1 once the index was given up or discarded.
  private var descriptor: Int32
  private var sum: UInt64 = 0
  private let remove: @Sendable () -> Void

  /// - Parameters:
  ///   - descriptor: an empty file, opened for appending. The journal closes it.
  ///   - head: the contents of the first frame, which only the records read.
  ///   - remove: removes the index, and the link to the document's file.
  package init(_ descriptor: Int32, head: [UInt8], remove: @escaping @Sendable () -> Void) {
    self.descriptor = descriptor
    self.remove = remove
    append(PageIndex.magic)
    add(.head, head)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Adds a page. Its stream must have been written to the document or to its buffer.
  package func add(page index: Int, _ stream: EarlierPages.Part, facts: [UInt8]) {
    var writer = WireWriter()
    writer.append(UInt32(index))
    writer.append(UInt64(stream.place.lowerBound))
    writer.append(UInt64(stream.place.count))
    add(.page, writer.bytes + stream.digest.bytes + facts)
  }

  /// Adds facts that several later pages refer to.
  package func add(shared facts: [UInt8]) { add(.shared, facts) }

  /// Ends the index with the identity of the document, which must be complete.
  package func end(for document: OutputFile) {
    var status = stat()
    guard fstat(document.descriptor, &status) == 0 else { return giveUp() }
    let modified = UInt64(bitPattern: FileVersion(status).modified)
    add(.end, PageIndex.identity(UInt64(status.st_ino), UInt64(status.st_size), modified))
    if descriptor >= 0, DurableWrites.wait(for: [descriptor]) != 0 { giveUp() }
  }

  /// Removes the index and the link to the document's file, so that they take no space on the disk.
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
    // Readers cannot find frames after an incomplete one.
    if bytes.withUnsafeBytes({ writeAll($0, to: descriptor) }) != 0 { giveUp() }
  }

  private func giveUp() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}
