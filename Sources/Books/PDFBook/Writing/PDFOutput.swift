import BookExpectations
import ImageCore
import Platform
import Synchronization

/// The file that is being written. Its bytes are buffered, counted, and hashed for the file identifier.
///
/// A separate thread writes full buffers while the next small pieces are collected. The calling thread writes large
/// pieces itself, because handing them over would only move them from one processor's cache to another's.
///
/// The caller owns the descriptor and must close, rename or remove the file.
struct PDFOutput: ~Copyable {
  private let file: WrittenFile
  private let writing: BackgroundConsumer<FilledBuffer>
  /// The buffer, whose first `pending` bytes have not been handed over yet.
  private var buffer = PooledBytes(capacity: PDFOutput.bufferByteCount)
  private static let bufferByteCount = 1 << 19
  private static let mostSmallBytes = 1 << 16
  private var pending = 0
  /// The number of bytes so far, including buffered ones: the offset of the next byte.
  private(set) var offset = 0
  /// The hash of the file so far, with the digest of each stream in place of the stream's bytes.
  private var hash = SHA256()

  init(descriptor: Int32, path: String) throws(PDFError) {
    let file = try WrittenFile(descriptor, path)
    self.file = file
    writing = BackgroundConsumer(batchCount: 1) { buffers in
      for buffer in buffers { file.write(UnsafeRawBufferPointer(start: buffer.bytes.base, count: buffer.count)) }
    }
  }

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

  mutating func write(_ text: UTF8Text) throws(PDFError) {
    hash.update(text.bytes)
    try store(text.bytes)
  }

  /// Writes a stream whose bytes were collected in advance.
  mutating func write(_ bytes: WaitingBytes) throws(PDFError) {
    hash.update(bytes.digest)
    try bytes.pass { (piece) throws(PDFError) in try store(piece) }
  }

  /// Writes bytes of a stream, and hashes `digest` in their place.
  mutating func write(_ bytes: [UInt8], digest: SHA256Digest) throws(PDFError) {
    hash.update(digest)
    try store(bytes)
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer, digest: SHA256Digest) throws(PDFError) {
    hash.update(digest)
    try store(bytes)
  }

  /// Copies parts of a file into one stream, whose digest is known.
  mutating func copy(_ file: InputFile, _ parts: [Range<Int>], digest: SHA256Digest) throws(PDFError) {
    hash.update(digest)
    for part in parts { try copy(file, part) }
  }

  /// Copies a part of a file. The bytes pass through the buffer, which is written only when it is full.
  /// `copy_file_range(2)` copies page by page and is slower.
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
      writing.finish()
      try file.truncate(to: mark.offset)
    }
    offset = mark.offset
    hash = mark.hash
  }

  /// Writes all remaining bytes to the file, and closes the duplicate of the descriptor. No other call may follow.
  mutating func finish() throws(PDFError) {
    try flush()
    file.close()
  }

  /// Waits until the bytes that were handed over are written, and then writes the buffered bytes.
  mutating func flush() throws(PDFError) {
    writing.finish()
    file.write(UnsafeRawBufferPointer(start: buffer.base, count: pending))
    pending = 0
    try file.check()
  }

  private mutating func handOver() throws(PDFError) {
    try file.check()
    writing.add(FilledBuffer(bytes: buffer, count: pending))
    buffer = PooledBytes(capacity: Self.bufferByteCount)
    pending = 0
  }

  /// The digest of the file so far, with the digest of each stream in place of the stream's bytes.
  var digest: SHA256Digest { hash.finish() }

  private mutating func store(_ bytes: [UInt8]) throws(PDFError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(PDFError) in
      try store(UnsafeRawBufferPointer(bytes))
    }
  }

  private mutating func store(_ bytes: UnsafeRawBufferPointer) throws(PDFError) {
    guard let start = bytes.baseAddress else { return }
    offset += bytes.count
    if pending + bytes.count > Self.bufferByteCount {
      if bytes.count > Self.mostSmallBytes { try flush() } else { try handOver() }
    }
    if bytes.count > Self.bufferByteCount {
      file.write(bytes)
      try file.check()
    } else {
      (buffer.base + pending).copyMemory(from: start, byteCount: bytes.count)
      pending += bytes.count
    }
  }
}

/// A full buffer on its way to the file.
private struct FilledBuffer: Sendable {
  let bytes: PooledBytes
  let count: Int
}

/// The file that is written, as a duplicate of the caller's descriptor: a thread may still be writing when the caller
/// abandons the file and closes its descriptor.
///
/// `@unchecked Sendable`: the descriptor changes only while no thread writes, and the error code is atomic.
private final class WrittenFile: @unchecked Sendable {
  private var descriptor: Int32
  private let path: String
  /// The code of the error that ended writing; 0 for none.
  private let code = Atomic<Int32>(0)

  init(_ original: Int32, _ path: String) throws(PDFError) {
    descriptor = fcntl(original, F_DUPFD_CLOEXEC, 0)
    self.path = path
    if descriptor < 0 { throw failure(errno) }
  }

  deinit { close() }

  /// Closes the duplicate. The reader of a pipe sees the end of the stream when the caller's descriptor is closed, too.
  /// No thread may be writing.
  func close() {
    if descriptor >= 0 { Platform.close(descriptor) }
    descriptor = -1
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    guard code.load(ordering: .relaxed) == 0 else { return }
    let result = writeAll(bytes, to: descriptor)
    if result != 0 { code.store(result, ordering: .relaxed) }
  }

  /// Throws the error that ended writing, if there was one.
  func check() throws(PDFError) {
    let code = code.load(ordering: .relaxed)
    if code != 0 { throw failure(code) }
  }

  /// Truncates the file at an offset. No thread may be writing.
  func truncate(to offset: Int) throws(PDFError) {
    try check()
    guard ftruncate(descriptor, off_t(offset)) == 0, lseek(descriptor, off_t(offset), SEEK_SET) >= 0
    else { throw failure(errno) }
  }

  private func failure(_ code: Int32) -> PDFError { .file(FileError(.write, path: path, code: code)) }
}

/// The version of PDF that a file needs (PDF 32000-1:2008, Annex I). The header contains the version known at the
/// start. If a higher one turns out to be needed, the catalogue declares it.
package enum PDFVersion: Int, Sendable, Comparable {
  case v14 = 4
  /// Adds 16-bit components, JPEG 2000, object streams and cross-reference streams.
  case v15 = 5
  /// Adds UserUnit.
  case v16 = 6

  /// ISO 32000-1.
  case v17 = 7

  package static func < (left: PDFVersion, right: PDFVersion) -> Bool { left.rawValue < right.rawValue }

  /// The value of the catalogue's Version entry.
  package var text: String { "1.\(rawValue)" }
}

extension PDFOutput {
  /// Writes the bytes of a picture's stream.
  ///
  /// - Parameter digest: the SHA-256 of the bytes, which is not checked.
  mutating func write(_ data: PDFPicture.Data, _ digest: SHA256Digest) throws(PDFError) {
    switch data {
    case .bytes(let bytes): try write(bytes, digest: digest)
    case .encoded(let bytes):
      try bytes.withUnsafeBytes { (bytes) throws(PDFError) in
        try write(bytes, digest: digest)
      }
    case .file(let file, let offset, let count):
      try copy(file, [offset..<offset + count], digest: digest)
    case .parts(let file, let ranges): try copy(file, ranges, digest: digest)
    case .completed(let head, let file, let range):
      try write(head, digest: digest)
      try copy(file, [range], digest: digest)
    }
  }
}
