import ImageCore
import Platform

/// Descriptions that workers have read before, and failures to read one. Each is a file, named by a digest of its
/// inputs.
///
/// If a file is missing or damaged, a worker is asked. A file is checked like a worker's answer. A description counts
/// only while the libraries that the plugin loads are those with which it was read: after an upgrade of one, the plugin
/// may have another version, other options or other signatures.
struct DescriptionCache: Sendable {
  private static let magic = Array("IMGHDSC2".utf8)
  private static let failureMagic = Array("IMGHDSF1".utf8)
  /// The time that a failure counts, because the machine may have been short of something.
  static let failureSeconds = 24 * 3600
  private static let digestByteCount = 32
  /// Files that are kept; the oldest go first.
  private static let maximumFiles = 512

  private let folder: CacheFolder
  /// The stamps of libraries that were compared before.
  private var known: [ArraySlice<UInt8>: Bool] = [:]
  /// Identifies the program that reads descriptions, because another version may read them differently.
  private let reader: String

  /// - Parameters:
  ///   - folder: made with its parents when something is kept.
  ///   - worker: path of `imghost-plugin-worker`.
  init(folder: String, worker: String) {
    self.folder = CacheFolder(path: folder)
    var status = stat()
    reader = stat(worker, &status) == 0 ? "\(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)" : ""
  }

  /// The name of a library's file here.
  ///
  /// - Parameters:
  ///   - digest: of the library's bytes.
  ///   - path: the library's path; only its last part counts.
  func key(digest: SHA256Digest, library path: String) -> String {
    let name = PathName.name(path)
    return SHA256.digest(of: Array("\(digest) \(reader) \(name)".utf8)).description
  }

  /// The body of a `description` message kept under the key, if the libraries are the same.
  mutating func body(_ key: String) -> [UInt8]? {
    guard let content = content(key, Self.magic) else { return nil }
    var reader = WireReader(Array(content))
    guard let libraries = try? reader.text(), FileStamps.areCurrent(libraries, known: &known) else { return nil }
    return Array(reader.rest)
  }

  /// Keeps a body.
  ///
  /// - Parameter libraries: paths of the files that are read when the plugin is loaded.
  func keep(_ body: some Collection<UInt8>, libraries: [String], _ key: String) {
    let stamps = FileStamps.bytes(of: libraries)
    let count = (0..<4).map { UInt8(truncatingIfNeeded: stamps.count >> (8 * $0)) }
    keep(Self.magic + count + stamps + body, under: key)
  }

  /// The words for a recent failure to describe a library; nil for none.
  func failure(_ key: String, now: Int = time(nil)) -> String? {
    guard let content = content(key, Self.failureMagic), content.count > 8 else { return nil }
    let then = content.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
    guard then <= now, now - then < Self.failureSeconds else { return nil }
    return WireReader.line(content.dropFirst(8))
  }

  /// Keeps a failure.
  func keep(failure words: String, _ key: String, now: Int = time(nil)) {
    let time = (0..<8).map { UInt8(truncatingIfNeeded: now >> (8 * $0)) }
    keep(Self.failureMagic + time + words.utf8.prefix(Limits.text), under: key)
  }

  private func content(_ key: String, _ magic: [UInt8]) -> ArraySlice<UInt8>? {
    let extra = magic.count + Self.digestByteCount
    guard let bytes = folder.read(key, atMost: Message.maximumByteCount + FileStamps.maximumByteCount + extra),
      bytes.count >= extra, bytes.starts(with: magic)
    else { return nil }
    let content = bytes.dropLast(Self.digestByteCount)
    guard SHA256.digest(of: Array(content)).bytes.elementsEqual(bytes[content.count...]) else { return nil }
    return content.dropFirst(magic.count)
  }

  private func keep(_ content: [UInt8], under key: String) {
    folder.keep(content + SHA256.digest(of: content).bytes, key)
  }

  /// Forgets what is kept under the key.
  func remove(_ key: String) { folder.remove(key) }

  /// Removes the oldest files beyond those that may be kept.
  func prune() { folder.prune(keeping: Self.maximumFiles) }
}
