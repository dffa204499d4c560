import ImageCore
import ImagePipeline
import PDFBook

/// Reads a pack from its beginning to its end, see `PagePackWriter`. Large streams stay in the file.
struct PagePackReader {
  enum Entry {
    case page(PDFPicture, PackedFacts)
    case failed
  }

  typealias Opener = (String) throws(PictureError) -> InputFile

  private let path: String
  private let open: Opener
  /// The open file; nil while it is closed.
  private var file: InputFile?
  private let byteCount: Int
  private var profiles: [[UInt8]] = [[]]
  /// The offset of the next record.
  private var position: Int
  private var buffer: [UInt8] = []
  /// The offset of the buffer's first byte.
  private var bufferStart = 0
  /// The index of the next picture in the book, from 0; nil at the end.
  private(set) var nextIndex: Int?
  private var nextHead = WireReader([])
  private var nextKind = PackRecord.Kind.failed
  private var nextStream = 0..<0

  /// The number of bytes to read at once. Large streams are copied from the file later, so only the small heads between
  /// them are read.
  private var window: Int { nextStream.count > Self.mostInMemory ? 4 << 10 : 64 << 10 }
  /// The size in bytes of the largest stream that is read together with its head.
  private static let mostInMemory = 32 << 10

  /// - Parameter open: opens the pack, here and again after `close`.
  /// - Throws: `PictureError` if the pack cannot be read or is damaged.
  init(path: String, open: @escaping Opener) throws(PictureError) {
    (self.path, self.open) = (path, open)
    let file = try open(path)
    (self.file, byteCount) = (file, file.byteCount)
    position = PackRecord.magic.count
    guard try bytes(0..<position) == PackRecord.magic[...] else { throw damaged }
    try advance()
  }

  var isOpen: Bool { file != nil }

  /// Releases the file and the memory until the next call of `take`.
  mutating func close() {
    file = nil
    buffer = []
    bufferStart = 0
    // The head is copied, because a slice would keep the whole buffer in memory.
    nextHead = WireReader(Array(nextHead.rest))
  }

  /// Returns the file, after opening it again if it was closed.
  private mutating func source() throws(PictureError) -> InputFile {
    if let file { return file }
    let opened = try open(path)
    guard opened.byteCount == byteCount else { throw damaged }
    file = opened
    return opened
  }

  /// Returns the entry of the picture `nextIndex`, and advances to the next picture.
  mutating func take() throws(PictureError) -> Entry {
    guard nextIndex != nil else { preconditionFailure("a pack is read beyond its end") }
    guard nextKind == .page else {
      try advance()
      return .failed
    }
    var head = nextHead
    let stream = nextStream
    let data: PDFPicture.Data =
      stream.count <= Self.mostInMemory
      ? .bytes(Array(try bytes(stream))) : .file(try source(), offset: stream.lowerBound, count: stream.count)
    let entry: Entry
    do throws(WireError) {
      let profile = Int(try head.integer(UInt32.self))
      guard profile < profiles.count else { throw WireError() }
      let facts = try PackedFacts(&head)
      entry = .page(try PDFPicture(&head, data: data, iccProfile: profiles[profile]), facts)
      try head.finish()
    } catch {
      throw damaged
    }
    try advance()
    return entry
  }

  /// Reads the heads of records, up to the head of the next picture.
  private mutating func advance() throws(PictureError) {
    while position < byteCount {
      guard byteCount - position >= PackRecord.prefixByteCount else { throw damaged }
      let start = position + PackRecord.prefixByteCount
      var prefix = WireReader(try bytes(position..<start))
      // A file may state any size, so this uses only differences, which cannot overflow.
      guard let headCount = try? prefix.integer(UInt32.self), let count = try? prefix.integer(UInt64.self),
        headCount <= PackRecord.mostHeadBytes, Int(headCount) <= byteCount - start,
        count <= UInt64(byteCount - start - Int(headCount))
      else { throw damaged }
      let end = start + Int(headCount)
      var head = WireReader(try bytes(start..<end))
      position = end + Int(count)
      guard let kind = (try? head.integer(UInt8.self)).flatMap(PackRecord.Kind.init) else { throw damaged }
      if kind == .profile {
        guard let profile = try? head.text() else { throw damaged }
        profiles.append(Array(profile))
        continue
      }
      guard let index = try? head.integer(UInt32.self) else { throw damaged }
      (nextIndex, nextHead, nextKind, nextStream) = (Int(index), head, kind, end..<position)
      return
    }
    nextIndex = nil
  }

  private var damaged: PictureError {
    .operation(.unsuitable("the page pack '\(printable(path))' is damaged; run its shard again"))
  }

  private mutating func bytes(_ range: Range<Int>) throws(PictureError) -> ArraySlice<UInt8> {
    guard range.upperBound <= byteCount else { throw damaged }
    if range.lowerBound < bufferStart || range.upperBound > bufferStart + buffer.count {
      let file = try source()
      do throws(FileError) {
        buffer = try file.bytes(at: range.lowerBound, count: max(range.count, window))
      } catch {
        throw .file(error)
      }
      bufferStart = range.lowerBound
      guard range.upperBound <= bufferStart + buffer.count else { throw damaged }
    }
    return buffer[range.lowerBound - bufferStart..<range.upperBound - bufferStart]
  }
}

/// Functions on a whole pack.
package enum PagePack {
  /// Reads all bytes of a pack as a merge does, and returns the number of its pages.
  ///
  /// - Throws: `PictureError` if the pack is damaged.
  package static func pageCount(of bytes: [UInt8]) throws(PictureError) -> Int {
    let sink = PooledSink(reserving: bytes.count)
    try bytes.withUnsafeBufferPointer { (bytes) throws(PictureError) in try sink.write(UnsafeRawBufferPointer(bytes)) }
    let file: InputFile
    do throws(FileError) { file = try InputFile(sink.bytes, label: "pack") } catch { throw .file(error) }
    var reader = try PagePackReader(path: "pack") { (_) throws(PictureError) in file }
    var count = 0
    while reader.nextIndex != nil {
      guard case .page(let picture, _) = try reader.take() else { continue }
      _ = try? picture.streamDigest()
      count += 1
    }
    return count
  }
}
