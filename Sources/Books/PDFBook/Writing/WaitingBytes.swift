import ImageCore
import Platform

/// Bytes of a stream that is written at the end of a book. Up to a megabyte stays in memory; beyond that, bytes go to
/// an unnamed temporary file.
final class WaitingBytes {
  private static let mostInMemory = 1 << 20
  private var memory: [UInt8] = []
  /// The temporary file, whose bytes precede those in memory; nil for none.
  private var file: Int32?
  private(set) var count = 0
  private var hash = SHA256()

  deinit { if let file { close(file) } }

  var digest: SHA256Digest { hash.finish() }

  /// - Throws: `PDFError.temporary` if the temporary file cannot be written.
  func append(_ bytes: [UInt8]) throws(PDFError) {
    guard !bytes.isEmpty else { return }
    hash.update(bytes)
    count += bytes.count
    memory += bytes
    guard memory.count >= Self.mostInMemory else { return }
    do throws(FileError) {
      let file = if let file { file } else { try NamelessFile.make() }
      self.file = file
      let code = memory.withUnsafeBytes { writeAll($0, to: file) }
      if code != 0 { throw FileError.temporary(code, byteCount: count) }
    } catch {
      throw .temporary(error)
    }
    memory.removeAll(keepingCapacity: true)
  }

  /// Passes all bytes to `body`, in pieces.
  func pass(to body: (UnsafeRawBufferPointer) throws(PDFError) -> Void) throws(PDFError) {
    let stored = count - memory.count
    if let file {
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      var offset = 0
      while offset < stored {
        let got = pread(file, &piece, min(piece.count, stored - offset), off_t(offset))
        if got < 0 && errno == EINTR { continue }
        guard got > 0 else { throw .temporary(.temporary(got < 0 ? errno : EIO)) }
        try piece.withUnsafeBufferPointer { (bytes) throws(PDFError) in
          try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<got]))
        }
        offset += got
      }
    }
    try memory.withUnsafeBufferPointer { (bytes) throws(PDFError) in try body(UnsafeRawBufferPointer(bytes)) }
  }
}
