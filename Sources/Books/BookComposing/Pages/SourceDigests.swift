import ImageCore
import ImagePipeline
import Synchronization

/// The SHA-256 of files that pages are made of. What several pages have, such as a watermark, is read once.
final class SourceDigests: Sendable {
  private let known = Mutex<[String: SHA256Digest]>([:])
  /// Files that are kept in mind.
  private static let most = 1_024

  /// Nil where the file cannot be read any more.
  ///
  /// - Parameter isShared: whether other pages may be made of it, too.
  func digest(of file: PictureFile, isShared: Bool) -> SHA256Digest? {
    if isShared, let digest = known.withLock({ $0[file.path] }) { return digest }
    guard let opened = try? file.open(),
      let digest = try? SHA256.digest(of: opened, count: opened.byteCount)
    else { return nil }
    if isShared {
      known.withLock { known in
        if known.count < Self.most { known[file.path] = digest }
      }
    }
    return digest
  }
}
