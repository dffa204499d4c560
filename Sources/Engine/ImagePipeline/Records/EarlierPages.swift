import ImageCore
import Platform

/// Pages of a document that an earlier run has written and that are unchanged. A new document takes them from the
/// earlier one.
package struct EarlierPages: Sendable {
  /// The path of the earlier document.
  package let documentPath: String
  /// The path of its index, which its sink has written.
  package let indexPath: String
  /// The index of a page in the earlier document, by its index in the new one.
  package let pages: [Int: Int]
  /// The pages, by their indices in the new document, whose files have other metadata than in the earlier one.
  package let pagesOfChangedFiles: Set<Int>

  package init(documentPath: String, indexPath: String, pages: [Int: Int], pagesOfChangedFiles: Set<Int>) {
    (self.documentPath, self.indexPath, self.pages) = (documentPath, indexPath, pages)
    self.pagesOfChangedFiles = pagesOfChangedFiles
  }

  /// A part of a document whose digest is known.
  package typealias Part = (place: Range<Int>, digest: SHA256Digest)

  /// The number of bytes at the end of an index, besides the parts: their number, the identity of the document, and a
  /// digest of everything before.
  private static let endByteCount = 4 * 8 + 32
  private static let partByteCount = 2 * 8 + 32

  /// Ends an index with the parts and the identity of its document and with a digest, and gives it its name.
  ///
  /// - Parameters:
  ///   - document: the complete document, before it gets its name.
  ///   - parts: parts of the document, in any order.
  package static func seal(_ index: OutputFile, for document: OutputFile, _ parts: [Part]) throws(PictureError) {
    var status = stat()
    guard fstat(document.descriptor, &status) == 0 else {
      throw .file(FileError(.write, path: document.path, code: errno))
    }
    var end = WireWriter()
    for part in parts.sorted(by: { $0.place.lowerBound < $1.place.lowerBound }) {
      end.append(UInt64(part.place.lowerBound))
      end.append(UInt64(part.place.count))
      for byte in part.digest.bytes { end.append(byte) }
    }
    for number in [UInt64(parts.count)] + Self.identity(status) { end.append(number) }
    try index.write(end.bytes)
    try index.commit(adding: { (path) throws(PictureError) in
      let file: InputFile
      do throws(FileError) { file = try InputFile(path: path) } catch { throw .file(error) }
      return try SHA256.digest(of: file, count: file.byteCount).bytes
    })
  }

  private static func identity(_ status: stat) -> [UInt64] {
    [UInt64(status.st_ino), UInt64(status.st_size), UInt64(bitPattern: FileVersion(status).modified)]
  }

  /// Returns the number of bytes of an index that are its sink's own; nil if it is too short.
  package static func contentByteCount(of index: InputFile) -> Int? {
    guard index.byteCount > endByteCount,
      let end = try? index.bytes(at: index.byteCount - endByteCount, count: 8),
      let count = try? WireReader.number(end), count <= index.byteCount / partByteCount
    else { return nil }
    let rest = index.byteCount - endByteCount - count * partByteCount
    return rest >= 0 ? rest : nil
  }

  /// Returns the parts of a document by its index; nil if the index is damaged, or was written for another document
  /// than that with this identity.
  package static func parts(indexPath: String, inode: UInt64, byteCount: UInt64, modified: UInt64) -> [Part]? {
    guard let file = try? InputFile(path: indexPath), let start = contentByteCount(of: file),
      let end = try? file.bytes(at: start, count: file.byteCount - start),
      let digest = try? SHA256.digest(of: file, count: file.byteCount - 32),
      digest.bytes.elementsEqual(end.suffix(32))
    else { return nil }
    var expected = WireWriter()
    for number in [inode, byteCount, modified] { expected.append(number) }
    guard end.dropLast(32).suffix(24).elementsEqual(expected.bytes) else { return nil }
    return stride(from: 0, to: end.count - endByteCount, by: partByteCount).compactMap { place in
      guard let offset = try? WireReader.number(end[place..<place + 8]),
        let count = try? WireReader.number(end[place + 8..<place + 16]),
        let digest = SHA256Digest(bytes: end[place + 16..<place + partByteCount]),
        offset <= Int(clamping: byteCount), count <= Int(clamping: byteCount) - offset
      else { return nil }
      return (offset..<offset + count, digest)
    }
  }
}

extension WireReader {
  /// Reads one number of 64 bits that is not negative.
  fileprivate static func number(_ bytes: some Collection<UInt8>) throws(WireError) -> Int {
    var reader = WireReader(Array(bytes.prefix(8)))
    guard let number = Int(exactly: try reader.integer(UInt64.self)) else { throw WireError() }
    return number
  }
}
