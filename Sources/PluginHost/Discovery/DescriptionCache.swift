import ImageCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Descriptions that workers have read before, one file each, named by what they depend on.
///
/// It saves time and is never needed: a folder that cannot be read or written, a file that is damaged or
/// another's, and a full disk all mean that a worker is asked. What is read is checked like a worker's
/// answer. Usable from any thread and by several processes at once, as files appear whole.
struct DescriptionCache: Sendable {
  private static let magic = Array("IMGHDSC1".utf8)
  private static let digestByteCount = 32
  /// Files that are kept; the oldest go first.
  private static let maximumFiles = 512

  private let folder: String
  /// Of the program that reads descriptions: another one may read them otherwise.
  private let reader: String

  /// - Parameters:
  ///   - folder: made with its parents when something is kept.
  ///   - worker: path of `imghost-plugin-worker`.
  init(folder: String, worker: String) {
    self.folder = folder
    var status = stat()
    reader =
      stat(worker, &status) == 0
      ? "\(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)" : ""
  }

  /// The folder for a user with this environment: `$XDG_CACHE_HOME/imghost/plugins`, or else in
  /// `~/.cache`; nil where neither is an absolute path. XDG Base Directory Specification 0.8.
  static func folder(cacheHome: String?, home: String?) -> String? {
    if let cacheHome, cacheHome.hasPrefix("/") { return cacheHome + "/imghost/plugins" }
    guard let home, home.hasPrefix("/") else { return nil }
    return home + "/.cache/imghost/plugins"
  }

  /// The name of a library's file here; nil when the library cannot be read.
  ///
  /// It stands for every byte of the library, for its name, and for the worker program.
  func key(library path: String) -> String? {
    guard let file = try? InputFile(path: path),
      let digest = try? SHA256.digest(of: file, count: file.byteCount)
    else { return nil }
    let name = path.split(separator: "/").last ?? ""
    return SHA256.digest(of: Array("\(digest) \(reader) \(name)".utf8)).description
  }

  /// The body of a `description` message kept under the key.
  func body(_ key: String) -> [UInt8]? {
    guard let file = try? InputFile(path: folder + "/" + key),
      file.byteCount <= Message.maximumByteCount + Self.magic.count + Self.digestByteCount,
      file.byteCount >= Self.magic.count + Self.digestByteCount, isOurs(file),
      let bytes = try? file.bytes(at: 0, count: file.byteCount), bytes.count == file.byteCount,
      bytes.starts(with: Self.magic)
    else { return nil }
    let content = bytes.dropLast(Self.digestByteCount)
    guard SHA256.digest(of: Array(content)).bytes.elementsEqual(bytes[content.count...]) else {
      return nil
    }
    return Array(content.dropFirst(Self.magic.count))
  }

  /// Keeps a body. Wraps `open(2)` with `O_EXCL` and `rename(2)`.
  func keep(_ body: some Collection<UInt8>, _ key: String) {
    let content = Self.magic + body
    let bytes = content + SHA256.digest(of: content).bytes
    let temporary = "\(folder)/.\(key).\(getpid())"
    var descriptor = create(temporary)
    if descriptor < 0 && errno == ENOENT {
      makeFolders()
      descriptor = create(temporary)
    }
    guard descriptor >= 0 else { return }
    let failure = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    close(descriptor)
    if failure != 0 || rename(temporary, folder + "/" + key) != 0 { unlink(temporary) }
  }

  /// Forgets what is kept under the key.
  func remove(_ key: String) { unlink(folder + "/" + key) }

  /// Removes the oldest files beyond those that may be kept.
  func prune() {
    guard let directory = opendir(folder) else { return }
    var files: [(path: String, time: Int)] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      let path = folder + "/" + name
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      files.append((path, status.st_mtim.tv_sec))
    }
    closedir(directory)
    guard files.count > Self.maximumFiles else { return }
    files.sort { $0.time < $1.time }
    for file in files.prefix(files.count - Self.maximumFiles) { unlink(file.path) }
  }

  /// Whether nobody else has put the file there.
  private func isOurs(_ file: InputFile) -> Bool {
    var status = stat()
    return fstat(file.descriptor, &status) == 0 && status.st_uid == geteuid()
  }

  private func create(_ path: String) -> Int32 {
    open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
  }

  private func makeFolders() {
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/" + part
      mkdir(path, 0o700)
    }
  }
}
