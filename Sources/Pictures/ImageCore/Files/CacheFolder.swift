import Platform

/// A cache of small files in a folder that belongs to the user.
///
/// A folder that belongs to another user, is writable by others or is reached through a stranger's link (see
/// `openFile`) counts as an empty cache. A file that is a link, belongs to another user or is writable by others counts
/// as missing. A full disk is not an error; nothing is stored. Cached bytes may be damaged, so their reader must
/// validate them. May be used from any thread and by several processes at once, because files appear only when
/// complete.
package struct CacheFolder: Sendable {
  package let path: String

  /// - Parameter path: the absolute path; the folder is created with its parents when a file is stored.
  package init(path: String) { self.path = path }

  /// Returns the path of a cache: `$XDG_CACHE_HOME/imghost/NAME`, or else `$HOME/.cache/imghost/NAME`; nil if neither
  /// variable is an absolute path. XDG Base Directory Specification 0.8.
  package static func standardPath(_ name: String, cacheHome: String?, home: String?) -> String? {
    if let cacheHome, PathName.isAbsolute(cacheHome) { return "\(cacheHome)/imghost/\(name)" }
    guard let home, PathName.isAbsolute(home) else { return nil }
    return "\(home)/.cache/imghost/\(name)"
  }

  /// Returns the bytes stored under a name; nil if there are none, if there are more than `limit`, or if they cannot be
  /// read.
  package func read(_ name: String, atMost limit: Int) -> [UInt8]? {
    withFolder { folder -> [UInt8]? in
      let descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
      guard descriptor >= 0 else { return nil }
      var status = stat()
      guard fstat(descriptor, &status) == 0 else {
        close(descriptor)
        return nil
      }
      guard let file = try? InputFile((descriptor, status), path: path + "/" + name), file.byteCount <= limit,
        Self.isOurs(status), let bytes = try? file.bytes(at: 0, count: file.byteCount), bytes.count == file.byteCount
      else { return nil }
      return bytes
    }
  }

  /// Stores bytes under a name, in a file that only the user can access. Returns false if they cannot be stored. Wraps
  /// `openat(2)` and `renameat(2)`.
  @discardableResult
  package func keep(_ bytes: [UInt8], _ name: String) -> Bool {
    if !FolderFiles.isFolder(path) { FolderFiles.make(path) }
    return withFolder { folder in
      // `O_CLOEXEC` prevents a worker process that starts at this time from inheriting the descriptor.
      let temporary = ".\(name)." + String(UInt64.random(in: 0 ... .max), radix: 36)
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
      let descriptor = openat(folder, temporary, flags, 0o600)
      guard descriptor >= 0 else { return false }
      let failure = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
      guard close(descriptor) == 0, failure == 0, renameat(folder, temporary, folder, name) == 0 else {
        unlinkat(folder, temporary, 0)
        return false
      }
      return true
    } ?? false
  }

  /// Removes the file that is stored under a name.
  package func remove(_ name: String) {
    _ = withFolder { unlinkat($0, name, 0) }
  }

  /// Calls `body` with the open folder; returns nil, without calling `body`, if the folder cannot be opened, or if
  /// another user owns it or can write to it.
  private func withFolder<Result>(_ body: (Int32) -> Result?) -> Result? {
    let folder = openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, isForWriting: true)
    guard folder >= 0 else { return nil }
    defer { close(folder) }
    var status = stat()
    guard fstat(folder, &status) == 0, Self.isOurs(status) else { return nil }
    return body(folder)
  }

  /// Removes the oldest files, including incomplete files of killed processes, until at most `limit` are left.
  ///
  /// - Returns: the number of files that cannot be removed.
  @discardableResult package func prune(keeping limit: Int) -> Int {
    withFolder { folder in
      var files = Self.files(in: folder)
      guard files.count > limit else { return 0 }
      files.sort { $0.time < $1.time }
      return files.prefix(files.count - limit).count { unlinkat(folder, $0.name, 0) != 0 && errno != ENOENT }
    } ?? 0
  }

  /// The names of the stored files, without incomplete files of killed processes.
  package var names: [String] {
    (withFolder { Self.files(in: $0).map(\.name).filter { !$0.hasPrefix(".") } } ?? []).sorted()
  }

  /// The size of all stored files in bytes.
  package var byteCount: Int {
    withFolder { folder in
      Self.files(in: folder).reduce(0) { sum, file in
        var status = stat()
        return fstatat(folder, file.name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? sum + Int(status.st_size) : sum
      }
    } ?? 0
  }

  private static func files(in folder: Int32) -> [(name: String, time: Int)] {
    (folderNames(of: folder) ?? []).compactMap { name in
      var status = stat()
      guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return nil
      }
      return (name, status.st_mtim.tv_sec)
    }
  }

  /// Returns whether a file or folder belongs to the user, and no other user can write to it.
  private static func isOurs(_ status: stat) -> Bool {
    status.st_uid == geteuid() && status.st_mode & (S_IWGRP | S_IWOTH) == 0
  }
}
