import BookExpectations
import ImageCore
import Platform

/// The file being written: buffers and counts bytes, and hashes them for the file identifier.
///
/// The caller owns the descriptor, and closes, renames or removes the file.
struct PDFOutput: ~Copyable {
  private let descriptor: Int32
  private let path: String
  /// Bytes that are not written yet; `pending` is their number.
  private let buffer = PooledBytes(capacity: PDFOutput.bufferByteCount)
  private static let bufferByteCount = 1 << 19
  private var pending = 0
  /// The number of bytes written so far: the offset of the next byte.
  private(set) var offset = 0
  /// The hash of the whole file, with each picture's stream replaced by its digest.
  private var hash = SHA256()

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Writes text.
  mutating func write(_ text: String) throws(PDFError) {
    var text = text
    let failure = text.withUTF8 { bytes -> PDFError? in
      let bytes = UnsafeRawBufferPointer(bytes)
      hash.update(bytes)
      do throws(PDFError) { try store(bytes) } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }

  /// Writes text.
  mutating func write(_ text: UTF8Text) throws(PDFError) {
    hash.update(text.bytes)
    try store(text.bytes)
  }

  /// Writes a stream that waited.
  mutating func write(_ bytes: WaitingBytes) throws(PDFError) {
    hash.update(bytes.digest)
    try bytes.pass { (piece) throws(PDFError) in try store(piece) }
  }

  /// Writes a picture's stream, whose digest is known.
  mutating func write(_ bytes: [UInt8], digest: SHA256Digest) throws(PDFError) {
    hash.update(digest)
    try store(bytes)
  }

  /// Writes a picture's stream, whose digest is known.
  mutating func write(_ bytes: UnsafeRawBufferPointer, digest: SHA256Digest) throws(PDFError) {
    hash.update(digest)
    try store(bytes)
  }

  /// Copies parts of a file whose digest is known.
  mutating func copy(_ file: InputFile, _ parts: [Range<Int>], digest: SHA256Digest) throws(PDFError) {
    hash.update(digest)
    for part in parts { try copy(file, part) }
  }

  /// Copies through the buffer and writes it only when it is full. `copy_file_range(2)` goes page by page and
  /// is slower.
  private mutating func copy(_ file: InputFile, _ part: Range<Int>) throws(PDFError) {
    var position = part.lowerBound
    while position < part.upperBound {
      if pending == Self.bufferByteCount { try flush() }
      let room = UnsafeMutableRawBufferPointer(
        start: buffer.base + pending,
        count: min(Self.bufferByteCount - pending, part.upperBound - position))
      let count: Int
      do throws(FileError) {
        count = try file.read(at: position, into: room)
      } catch {
        throw .source(error)
      }
      guard count > 0 else { throw .sourceShrank(path: file.path) }
      pending += count
      offset += count
      position += count
    }
  }

  /// A position to which the output can be rewound.
  struct Mark {
    fileprivate let offset: Int
    fileprivate let hash: SHA256
  }

  var mark: Mark { Mark(offset: offset, hash: hash) }

  /// Removes everything that was written after `mark`.
  mutating func rewind(to mark: Mark) throws(PDFError) {
    let stored = offset - pending
    if mark.offset >= stored {
      pending = mark.offset - stored
    } else {
      pending = 0
      guard ftruncate(descriptor, off_t(mark.offset)) == 0, lseek(descriptor, off_t(mark.offset), SEEK_SET) >= 0
      else { throw failure(errno) }
    }
    offset = mark.offset
    hash = mark.hash
  }

  /// Writes the buffered bytes to the file.
  mutating func flush() throws(PDFError) {
    let count = pending
    pending = 0
    try writeToFile(UnsafeRawBufferPointer(start: buffer.base, count: count))
  }

  /// The digest of the file so far.
  var digest: SHA256Digest { hash.finish() }

  private mutating func store(_ bytes: [UInt8]) throws(PDFError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(PDFError) in
      try store(UnsafeRawBufferPointer(bytes))
    }
  }

  private mutating func store(_ bytes: UnsafeRawBufferPointer) throws(PDFError) {
    guard let start = bytes.baseAddress else { return }
    offset += bytes.count
    if pending + bytes.count > Self.bufferByteCount { try flush() }
    if bytes.count > Self.bufferByteCount {
      try writeToFile(bytes)
    } else {
      (buffer.base + pending).copyMemory(from: start, byteCount: bytes.count)
      pending += bytes.count
    }
  }

  private func writeToFile(_ bytes: UnsafeRawBufferPointer) throws(PDFError) {
    let code = writeAll(bytes, to: descriptor)
    if code != 0 { throw failure(code) }
  }

  private func failure(_ code: Int32) -> PDFError { .file(FileError(.write, path: path, code: code)) }
}
