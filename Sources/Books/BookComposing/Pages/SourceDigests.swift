import ImageCore
import ImagePipeline
import Synchronization

/// The SHA-256 digests of the files from which pages are made. A file that several pages use, such as a watermark, is
/// hashed once.
final class SourceDigests: Sendable {
  private let known = Mutex<[String: SHA256Digest]>([:])
  /// The maximum number of files whose digests are kept.
  private static let most = 1_024

  /// Returns a file's digest.
  ///
  /// - Parameters:
  ///   - isShared: whether other pages may use the file, too.
  ///   - records: the records that store the digest; nil if there are none.
  func digest(of file: PictureFile, isShared: Bool, _ records: (any OutputRecords)?) throws(PictureError)
    -> SHA256Digest
  {
    if isShared, let digest = known.withLock({ $0[file.path] }) { return digest }
    let opened = try file.open()
    let digest = try SHA256.digest(of: opened, count: opened.byteCount)
    records?.read(file.path, opened.version, digest)
    if isShared {
      known.withLock { known in
        if known.count < Self.most { known[file.path] = digest }
      }
    }
    return digest
  }
}
