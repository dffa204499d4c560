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

  package init(documentPath: String, indexPath: String, pages: [Int: Int]) {
    (self.documentPath, self.indexPath, self.pages) = (documentPath, indexPath, pages)
  }

  /// The number of bytes at the end of an index.
  package static let sealByteCount = 3 * 8 + 32

  /// Ends an index with the identity of its document and a digest, and gives it its name.
  ///
  /// - Parameter document: the complete document, before it gets its name.
  package static func seal(_ index: OutputFile, for document: OutputFile) throws(PictureError) {
    var status = stat()
    guard fstat(document.descriptor, &status) == 0 else {
      throw .file(FileError(.write, path: document.path, code: errno))
    }
    var end = WireWriter()
    for number in Self.identity(status) { end.append(number) }
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

  /// Returns whether an index is whole and was written for the document with this identity.
  package static func isWhole(indexPath: String, inode: UInt64, byteCount: UInt64, modified: UInt64) -> Bool {
    guard let file = try? InputFile(path: indexPath), file.byteCount > sealByteCount,
      let end = try? file.bytes(at: file.byteCount - sealByteCount, count: sealByteCount)
    else { return false }
    var expected = WireWriter()
    for number in [inode, byteCount, modified] { expected.append(number) }
    guard end.starts(with: expected.bytes),
      let digest = try? SHA256.digest(of: file, count: file.byteCount - 32)
    else { return false }
    return digest.bytes.elementsEqual(end.suffix(32))
  }
}
