import ImageCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Descriptions that workers have read before, one file each, named by what they depend on.
///
/// What is missing or damaged means that a worker is asked, and what is read is checked like a worker's
/// answer.
struct DescriptionCache: Sendable {
  private static let magic = Array("IMGHDSC1".utf8)
  private static let digestByteCount = 32
  /// Files that are kept; the oldest go first.
  private static let maximumFiles = 512

  private let folder: CacheFolder
  /// Of the program that reads descriptions: another one may read them otherwise.
  private let reader: String

  /// - Parameters:
  ///   - folder: made with its parents when something is kept.
  ///   - worker: path of `imghost-plugin-worker`.
  init(folder: String, worker: String) {
    self.folder = CacheFolder(path: folder)
    var status = stat()
    reader =
      stat(worker, &status) == 0
      ? "\(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)" : ""
  }

  /// The name of a library's file here.
  ///
  /// - Parameters:
  ///   - digest: of the library's bytes.
  ///   - path: the library's, of which the last part counts.
  func key(digest: SHA256Digest, library path: String) -> String {
    let name = PathName.name(path)
    return SHA256.digest(of: Array("\(digest) \(reader) \(name)".utf8)).description
  }

  /// The body of a `description` message kept under the key.
  func body(_ key: String) -> [UInt8]? {
    let extra = Self.magic.count + Self.digestByteCount
    guard let bytes = folder.read(key, atMost: Message.maximumByteCount + extra),
      bytes.count >= extra, bytes.starts(with: Self.magic)
    else { return nil }
    let content = bytes.dropLast(Self.digestByteCount)
    guard SHA256.digest(of: Array(content)).bytes.elementsEqual(bytes[content.count...]) else {
      return nil
    }
    return Array(content.dropFirst(Self.magic.count))
  }

  /// Keeps a body.
  func keep(_ body: some Collection<UInt8>, _ key: String) {
    let content = Self.magic + body
    folder.keep(content + SHA256.digest(of: content).bytes, key)
  }

  /// Forgets what is kept under the key.
  func remove(_ key: String) { folder.remove(key) }

  /// Removes the oldest files beyond those that may be kept.
  func prune() { folder.prune(keeping: Self.maximumFiles) }
}
