import ImageCore
import Platform

/// The file being written: buffered, counted, and hashed for the identifier.
///
/// The descriptor belongs to whoever opened it, who also closes, renames or removes the file.
struct PDFOutput: ~Copyable {
  private let descriptor: Int32
  private let path: String
  /// What waits to be written, and how much of it there is.
  private let buffer = PooledBytes(capacity: PDFOutput.bufferByteCount)
  private static let bufferByteCount = 1 << 19
  private var pending = 0
  /// Bytes written so far: the offset of what comes next.
  private(set) var offset = 0
  /// Of everything but the streams of pictures, for which their digests stand.
  private var hash = SHA256()

  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Writes structure.
  mutating func write(_ text: String) throws(PDFError) {
    let bytes = Array(text.utf8)
    hash.update(bytes)
    try store(bytes)
  }

  /// Writes a picture's stream, whose digest is known.
  mutating func write(_ bytes: [UInt8], digest: SHA256Digest) throws(PDFError) {
    hash.update(digest.bytes)
    try store(bytes)
  }

  /// Writes a picture's stream, whose digest is known.
  mutating func write(_ bytes: UnsafeRawBufferPointer, digest: SHA256Digest) throws(PDFError) {
    hash.update(digest.bytes)
    try store(bytes)
  }

  /// Reads parts of a file into this one, whose digest is known.
  mutating func copy(_ file: InputFile, _ parts: [Range<Int>], digest: SHA256Digest)
    throws(PDFError)
  {
    hash.update(digest.bytes)
    for part in parts { try copy(file, part) }
  }

  /// Through the buffer, full each time it is written: what `copy_file_range(2)` does page by page takes longer.
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

  /// A place to which what follows it can be taken back.
  struct Mark {
    fileprivate let offset: Int
    fileprivate let hash: SHA256
  }

  var mark: Mark { Mark(offset: offset, hash: hash) }

  /// Takes back all that was written after `mark`.
  mutating func takeBack(to mark: Mark) throws(PDFError) {
    let stored = offset - pending
    if mark.offset >= stored {
      pending = mark.offset - stored
    } else {
      pending = 0
      guard ftruncate(descriptor, off_t(mark.offset)) == 0,
        lseek(descriptor, off_t(mark.offset), SEEK_SET) >= 0
      else { throw failure(errno) }
    }
    offset = mark.offset
    hash = mark.hash
  }

  /// Writes out what is buffered.
  mutating func flush() throws(PDFError) {
    let count = pending
    pending = 0
    try pass(UnsafeRawBufferPointer(start: buffer.base, count: count))
  }

  /// A digest of all that was written.
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
      try pass(bytes)
    } else {
      (buffer.base + pending).copyMemory(from: start, byteCount: bytes.count)
      pending += bytes.count
    }
  }

  private func pass(_ bytes: UnsafeRawBufferPointer) throws(PDFError) {
    let code = writeAll(bytes, to: descriptor)
    if code != 0 { throw failure(code) }
  }

  private func failure(_ code: Int32) -> PDFError {
    .file(FileError(.write, path: path, code: code))
  }
}
