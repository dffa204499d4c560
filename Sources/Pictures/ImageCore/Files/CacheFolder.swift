import Platform

/// Small files in a folder of the user's, which save time and are never needed.
///
/// A folder that cannot be read or written, a link, a file that is another user's, and a full disk all count as
/// nothing kept. What is read back may be damaged: its reader checks. Usable from any thread and by several
/// processes at once, as files appear whole.
package struct CacheFolder: Sendable {
  package let path: String

  /// - Parameter path: absolute; made with its parents when something is kept.
  package init(path: String) { self.path = path }

  /// The folder for a user with this environment: `$XDG_CACHE_HOME/imghost/NAME`, or else in `~/.cache`;
  /// nil where neither is an absolute path. XDG Base Directory Specification 0.8.
  ///
  /// - Parameters:
  ///   - cacheHome: the value of `XDG_CACHE_HOME`.
  ///   - home: the value of `HOME`.
  package static func standardPath(_ name: String, cacheHome: String?, home: String?) -> String? {
    if let cacheHome, PathName.isAbsolute(cacheHome) { return "\(cacheHome)/imghost/\(name)" }
    guard let home, PathName.isAbsolute(home) else { return nil }
    return "\(home)/.cache/imghost/\(name)"
  }

  /// The bytes kept under a name; nil for a file that is longer than any that is kept, or that somebody
  /// else has put there or may change.
  package func read(_ name: String, atMost limit: Int) -> [UInt8]? {
    let path = path + "/" + name
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      close(descriptor)
      return nil
    }
    guard let file = try? InputFile((descriptor, status), path: path), file.byteCount <= limit, Self.isOurs(status),
      let bytes = try? file.bytes(at: 0, count: file.byteCount), bytes.count == file.byteCount
    else { return nil }
    return bytes
  }

  /// Keeps bytes under a name, in a file that only the user can read. Wraps `open(2)` with `O_EXCL` and `rename(2)`.
  /// False when they cannot be kept.
  @discardableResult
  package func keep(_ bytes: [UInt8], _ name: String) -> Bool {
    var (descriptor, temporary) = create(name)
    if descriptor < 0 && errno == ENOENT {
      FolderFiles.make(path)
      (descriptor, temporary) = create(name)
    }
    guard descriptor >= 0 else { return false }
    let failure = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    guard close(descriptor) == 0, failure == 0, rename(temporary, path + "/" + name) == 0 else {
      unlink(temporary)
      return false
    }
    return true
  }

  /// Forgets what is kept under the name.
  package func remove(_ name: String) { unlink(path + "/" + name) }

  /// Removes the oldest files beyond `limit`; what a process that was killed had begun counts as well.
  package func prune(keeping limit: Int) {
    guard let directory = opendir(path) else { return }
    var files: [(path: String, time: Int)] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      let path = path + "/" + name
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      files.append((path, status.st_mtim.tv_sec))
    }
    closedir(directory)
    guard files.count > limit else { return }
    files.sort { $0.time < $1.time }
    for file in files.prefix(files.count - limit) { unlink(file.path) }
  }

  /// Whether nobody else has put the file there, or may write to it.
  private static func isOurs(_ status: stat) -> Bool {
    status.st_uid == geteuid() && status.st_mode & (S_IWGRP | S_IWOTH) == 0
  }

  /// A new file, readable and writable by its owner alone, which no worker that starts meanwhile gets.
  private func create(_ name: String) -> (descriptor: Int32, path: String) {
    let unique = String(UInt64.random(in: 0 ... .max), radix: 36)
    let path = "\(path)/.\(name).\(unique)"
    return (open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600), path)
  }
}
