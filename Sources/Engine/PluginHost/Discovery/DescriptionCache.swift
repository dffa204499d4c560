import ImageCore
import Platform

/// A cache of descriptions that workers have read, and of failures to read one. Each entry is a file, named after the
/// library's path, size and times.
///
/// If an entry is missing or damaged, a worker describes the library. Entries are validated like a worker's answer. A
/// description is valid only while the libraries that the plugin loads are unchanged: after an upgrade of one, the
/// plugin may have another version, other options or other signatures.
struct DescriptionCache: Sendable {
  private static let magic = Array("IMGHDSC3".utf8)
  private static let failureMagic = Array("IMGHDSF1".utf8)
  /// The number of seconds for which a failure is cached: not forever, because the machine may only have been short of
  /// a resource.
  static let failureSeconds = 24 * 3600
  private static let digestByteCount = 32
  /// The maximum number of cached files; the oldest are removed first.
  private static let maximumFiles = 2048

  private let folder: CacheFolder
  /// Whether libraries still have their stamps, keyed by stamp; see `FileStamps.areCurrent`.
  private var known: [ArraySlice<UInt8>: Bool] = [:]
  /// The size and modification time of the worker program. Part of each key, because another version may interpret
  /// descriptions differently.
  private let reader: String

  /// - Parameters:
  ///   - folder: the folder, created with its parents when an entry is stored.
  ///   - worker: the path of `imghost-plugin-worker`.
  init(folder: String, worker: String) {
    self.folder = CacheFolder(path: folder)
    var status = stat()
    reader = stat(worker, &status) == 0 ? "\(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)" : ""
  }

  /// Returns the key of a library, which changes with the library's content.
  ///
  /// The nodes of a cluster share the user's folder. Each node has its own entries, because a library's status change
  /// time (`st_ctime`) is that of its installation on the node.
  func key(library path: String) -> String {
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    var status = stat()
    let times =
      stat(path, &status) == 0
      ? [status.modificationTime, status.changeTime].map { "\($0.tv_sec).\($0.tv_nsec)" }.joined(separator: " ") : ""
    let place = resolved.map { PathBytes.text($0) } ?? path
    let text = "\(reader) \(status.st_size) \(times) \(PathName.name(path)) \(place)"
    return SHA256.digest(of: Array(text.utf8)).description
  }

  /// A description, with the digest of the library that it describes.
  struct Kept {
    let digest: SHA256Digest
    /// The body of a `description` message.
    let body: [UInt8]
  }

  /// Returns the description stored under the key; nil if there is none, or if a library that the plugin loads has
  /// changed.
  mutating func description(_ key: String) -> Kept? {
    guard let content = content(key, Self.magic) else { return nil }
    var reader = WireReader(Array(content.dropFirst(Self.digestByteCount)))
    guard let digest = SHA256Digest(bytes: content.prefix(Self.digestByteCount)), let stamps = try? reader.text(),
      FileStamps.areCurrent(stamps, known: &known)
    else { return nil }
    return Kept(digest: digest, body: Array(reader.rest))
  }

  /// - Parameter libraries: the paths of the other files that are read when the plugin is loaded.
  func keep(_ description: Kept, libraries: [String], _ key: String) {
    let stamps = FileStamps.bytes(of: libraries)
    let count = (0..<4).map { UInt8(truncatingIfNeeded: stamps.count >> (8 * $0)) }
    keep(Self.magic + description.digest.bytes + count + stamps + description.body, under: key)
  }

  /// Returns the text of a recent failure to describe a library; nil for none.
  func failure(_ key: String, now: Int = time(nil)) -> String? {
    guard let content = content(key, Self.failureMagic), content.count > 8 else { return nil }
    let then = content.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
    guard then <= now, now - then < Self.failureSeconds else { return nil }
    return WireReader.line(content.dropFirst(8))
  }

  func keep(failure words: String, _ key: String, now: Int = time(nil)) {
    let time = (0..<8).map { UInt8(truncatingIfNeeded: now >> (8 * $0)) }
    keep(Self.failureMagic + time + words.utf8.prefix(Limits.text), under: key)
  }

  /// Returns whether the entry under a key is complete and undamaged.
  func isWhole(_ key: String) -> Bool { content(key, Self.magic) != nil || content(key, Self.failureMagic) != nil }

  private func content(_ key: String, _ magic: [UInt8]) -> ArraySlice<UInt8>? {
    let extra = magic.count + 2 * Self.digestByteCount
    guard let bytes = folder.read(key, atMost: Message.maximumByteCount + FileStamps.maximumByteCount + extra),
      bytes.count >= magic.count + Self.digestByteCount, bytes.starts(with: magic)
    else { return nil }
    let content = bytes.dropLast(Self.digestByteCount)
    guard SHA256.digest(of: Array(content)).bytes.elementsEqual(bytes[content.count...]) else { return nil }
    return content.dropFirst(magic.count)
  }

  private func keep(_ content: [UInt8], under key: String) {
    folder.keep(content + SHA256.digest(of: content).bytes, key)
  }

  func remove(_ key: String) { folder.remove(key) }

  /// Removes the oldest files above the limit.
  func prune() { folder.prune(keeping: Self.maximumFiles) }
}

/// The sizes and modification times of files, which reveal changes without reading the files.
enum FileStamps {
  /// The maximum length of a list of stamps, in bytes. Files that do not fit are not checked for changes.
  static let maximumByteCount = 128 << 10

  /// Returns the stamps of files. A stamp consists of the file's size, the seconds and the nanoseconds of its
  /// modification time, and its path with a zero byte at the end.
  static func bytes(of paths: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for path in paths {
      let stamp = path.withCString(numbers(of:))
      guard bytes.count + stamp.count + path.utf8.count < maximumByteCount else { break }
      bytes += stamp + path.utf8 + [0]
    }
    return bytes
  }

  /// Returns whether each file still has its stamp. Calls with the same `known` look up each stamp only once.
  static func areCurrent(_ stamps: ArraySlice<UInt8>, known: inout [ArraySlice<UInt8>: Bool]) -> Bool {
    var rest = stamps
    while !rest.isEmpty {
      guard rest.count > numberByteCount, let end = rest.dropFirst(numberByteCount).firstIndex(of: 0) else {
        return false
      }
      let entry = rest[...end]
      rest = rest[(end + 1)...]
      if known[entry] == nil {
        known[entry] = entry.withUnsafeBytes { bytes in
          let path = bytes.baseAddress! + numberByteCount
          return bytes.prefix(numberByteCount).elementsEqual(numbers(of: path.assumingMemoryBound(to: CChar.self)))
        }
      }
      guard known[entry] == true else { return false }
    }
    return true
  }

  private static let numberByteCount = 3 * MemoryLayout<Int64>.size

  /// Returns the size and the two parts of the modification time of a file; zeros if the file does not exist.
  private static func numbers(of path: UnsafePointer<CChar>) -> [UInt8] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [UInt8](repeating: 0, count: numberByteCount) }
    let time = status.modificationTime
    return withUnsafeBytes(of: (Int64(status.st_size), Int64(time.tv_sec), Int64(time.tv_nsec))) { Array($0) }
  }
}
