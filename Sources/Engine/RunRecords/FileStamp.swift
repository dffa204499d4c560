import ImageCore
import ImagePipeline
import Platform

/// The facts about a file from `stat(2)`. An equal stamp means an unchanged file, unless a change came within the
/// granularity of the file system's clock; see `isSettled`.
struct FileStamp: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
  let byteCount: UInt64
  /// The time of the last change of its bytes, in nanoseconds since 1970.
  let modified: UInt64
  /// The time of the last change of its bytes, name or permissions, in nanoseconds since 1970.
  let changed: UInt64

  init(device: UInt64, inode: UInt64, byteCount: UInt64, modified: UInt64, changed: UInt64) {
    (self.device, self.inode, self.byteCount) = (device, inode, byteCount)
    (self.modified, self.changed) = (modified, changed)
  }

  init(_ status: stat) {
    func nanoseconds(_ time: timespec) -> UInt64 {
      UInt64(truncatingIfNeeded: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
    byteCount = UInt64(truncatingIfNeeded: status.st_size)
    modified = nanoseconds(status.modificationTime)
    changed = nanoseconds(status.changeTime)
  }

  /// Looks up a regular file, following links; nil if there is none. Wraps `stat(2)`.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(status)
  }

  /// Looks up a file or a folder, following links; nil if the path leads nowhere. Wraps `stat(2)`.
  init?(ofAnyFile path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Looks up a symbolic link itself; nil if there is none at the path. Wraps `lstat(2)`.
  init?(ofLink path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
    self.init(status)
  }

  /// Returns whether any later change would give the file another stamp, because the last change is long enough before
  /// `now`, in nanoseconds since 1970. Two changes within the granularity of the clock may have the same time. The
  /// granularity is some milliseconds for most file systems, and two seconds for those that count whole seconds.
  func isSettled(at now: UInt64) -> Bool {
    let last = max(modified, changed)
    return last < now && now - last > granularity
  }

  /// The interval, in nanoseconds, within which two changes may have the same time. A file system is assumed to count
  /// whole seconds if both times are whole: a program can set the time of modification, but not the time of change.
  private var granularity: UInt64 {
    modified % 1_000_000_000 == 0 && changed % 1_000_000_000 == 0 ? 2_000_000_000 : 20_000_000
  }

  static func isLink(_ path: String) -> Bool { FileStamp(ofLink: path) != nil }

  /// Returns the stamp of a file, after waiting if the file was changed so recently that a further change might not
  /// change the stamp.
  ///
  /// - Returns: the stamp, and whether it is settled; nil if there is no file. The stamp stays unsettled if the file
  ///   keeps changing, or if its times are in the future.
  static func settled(path: String) -> (stamp: FileStamp, isSettled: Bool)? {
    for _ in 0..<3 {
      let now = FileStamp.now
      guard let stamp = FileStamp(path: path) else { return nil }
      if stamp.isSettled(at: now) { return (stamp, true) }
      // A time in the future never settles.
      guard max(stamp.modified, stamp.changed) <= now else { return (stamp, false) }
      usleep(useconds_t(stamp.granularity / 1_000 + 1_000))
    }
    return FileStamp(path: path).map { ($0, false) }
  }

  /// The same stamp, marked as unsettled: it equals no file's stamp.
  var unsettled: FileStamp {
    FileStamp(device: device, inode: inode, byteCount: byteCount, modified: modified, changed: 0)
  }

  /// The stamp of an output that has no file yet.
  static let none = FileStamp(device: 0, inode: 0, byteCount: 0, modified: 0, changed: 0)

  func modified(at time: UInt64) -> FileStamp {
    FileStamp(device: device, inode: inode, byteCount: byteCount, modified: time, changed: changed)
  }

  /// Returns whether both stamps belong to the same unchanged file, which may have been renamed in between. The device
  /// does not count, because its number may differ between machines that share a disk, and may change when a machine
  /// restarts.
  func isRenamed(from earlier: FileStamp) -> Bool {
    inode == earlier.inode && byteCount == earlier.byteCount && modified == earlier.modified
  }

  /// Returns whether the size and the time of modification are those of a version.
  func has(_ version: FileVersion) -> Bool {
    byteCount == UInt64(bitPattern: version.byteCount) && modified == UInt64(bitPattern: version.modified)
  }

  /// Returns whether the file may be a copy of the other file, with the same time of modification.
  func mayBeCopy(of other: FileStamp) -> Bool { byteCount == other.byteCount && modified == other.modified }

  /// Returns whether the stamps belong to the same file, and no program has written to it in between. Its size may
  /// differ after a power cut.
  func isUntouched(since earlier: FileStamp) -> Bool {
    inode == earlier.inode && modified == earlier.modified && (changed == earlier.changed || earlier.changed == 0)
  }

  /// The time, in nanoseconds since 1970.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// The digests of files and folders.
package enum FileDigest {
  /// Returns the SHA-256 of a file; nil if it cannot be read. Parts with a known digest are not read again: their
  /// digests are hashed instead of their bytes.
  ///
  /// - Parameters:
  ///   - parts: the parts with known digests, in their order in the file.
  ///   - verifies: whether to read these parts nevertheless. The result is nil if one has changed.
  package static func file(_ path: String, _ parts: [EarlierPages.Part] = [], verifies: Bool = false) -> SHA256Digest? {
    guard let file = try? InputFile(path: path) else { return nil }
    if parts.isEmpty { return try? SHA256.digest(of: file, count: file.byteCount) }
    var hash = SHA256()
    var place = 0
    func add(upTo end: Int, to hash: inout SHA256) -> Bool {
      while place < end {
        guard let bytes = try? file.bytes(at: place, count: min(256 << 10, end - place)), !bytes.isEmpty else {
          return false
        }
        hash.update(bytes)
        place += bytes.count
      }
      return true
    }
    for part in parts {
      guard part.place.lowerBound >= place, add(upTo: part.place.lowerBound, to: &hash) else { return nil }
      if verifies {
        var own = SHA256()
        guard add(upTo: part.place.upperBound, to: &own), own.finish() == part.digest else { return nil }
      }
      hash.update(part.digest)
      place = part.place.upperBound
    }
    return add(upTo: file.byteCount, to: &hash) ? hash.finish() : nil
  }

  /// The files in a folder and its subfolders.
  struct Tree {
    /// A digest per file: of its name, size and times, or of its name and bytes.
    fileprivate let files: Set<SHA256Digest>

    var digest: SHA256Digest {
      SHA256.digest(of: files.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self))
    }
    /// Short digests of the files, sorted.
    var marks: [UInt64] { files.map { $0.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }.sorted() }
  }

  /// Returns digests of all files in a folder and its subfolders; nil if one cannot be read.
  ///
  /// - Parameter ofBytes: whether the digests are of the files' bytes rather than of their sizes and times.
  static func files(in path: String, ofBytes: Bool = false) -> Tree? {
    var files: Set<SHA256Digest> = []
    let isWhole = visit(path) { inner, stamp in
      var line = "\(inner)\t\(stamp.byteCount)\t\(stamp.modified)\t\(stamp.changed)"
      if ofBytes {
        guard let digest = file(path + "/" + inner) else { return false }
        line = "\(inner)\t\(digest)"
      }
      files.insert(SHA256.digest(of: Array(line.utf8)))
      return true
    }
    return isWhole ? Tree(files: files) : nil
  }

  /// Returns whether a file in a folder or its subfolders was changed after a time, in nanoseconds since 1970.
  static func hasFile(in path: String, newerThan time: UInt64) -> Bool {
    var isFound = false
    _ = visit(path) { _, stamp in
      isFound = stamp.modified > time
      return !isFound
    }
    return isFound
  }

  /// Returns whether `isKnown` returns true for the path of each file in a folder and its subfolders, relative to the
  /// folder; false if a file cannot be examined.
  static func hasOnly(in path: String, _ isKnown: (String) -> Bool) -> Bool {
    visit(path) { inner, _ in isKnown(inner) }
  }

  /// Calls `body` for each file in a folder and its subfolders, with its path relative to the folder, until `body`
  /// returns false. Skips files and folders that cannot be examined.
  ///
  /// - Returns: false if `body` returned false, or if a file or folder was skipped.
  private static func visit(_ path: String, _ body: (_ inner: String, FileStamp) -> Bool) -> Bool {
    var pending = [""]
    var isWhole = true
    while let part = pending.popLast() {
      guard let names = folderNames(path + "/" + part) else {
        isWhole = false
        continue
      }
      for name in names {
        let inner = part.isEmpty ? name : part + "/" + name
        var status = stat()
        guard lstat(path + "/" + inner, &status) == 0 else {
          isWhole = false
          continue
        }
        if status.st_mode & S_IFMT == S_IFDIR {
          pending.append(inner)
        } else if !body(inner, FileStamp(status)) {
          return false
        }
      }
    }
    return isWhole
  }

  /// Returns a digest of the names, sizes and times of all files in a folder and its subfolders; nil if one cannot be
  /// read.
  package static func tree(_ path: String) -> SHA256Digest? { files(in: path)?.digest }
}
