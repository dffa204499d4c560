import ImageCore
import PictureTraits
import Platform

/// A cache of the traits of picture files, in one of the user's folders, with an entry for each version of a file.
///
/// A version is identified by the file's device, inode, size and times of modification and of change, by whether its
/// orientation is applied, and by the version of the algorithms. Entries never change, so several processes may use the
/// folder at once. A damaged entry is ignored.
package struct TraitsCache: Sendable {
  /// The first bytes of an entry.
  private static let magic = Array("IMGHTRT1".utf8)
  private static let digestByteCount = 32
  private static let maximumByteCount = 4_096
  /// The maximum number of entries; the oldest are removed first.
  private static let maximumEntries = 10_000
  private let folder: CacheFolder

  /// - Parameter folder: the folder's path. It is created, with its parents, when something is stored.
  package init(folder: String) { self.folder = CacheFolder(path: folder) }

  /// Returns the name of a picture's entry; nil unless the picture is the first page of an existing regular file,
  /// unmodified except for its orientation, and opened without a sidecar, an option of its codec or `acceptsDamage`.
  func key(of picture: Picture) -> String? {
    guard let file = picture.untouchedFile, !file.readsSidecar, case .source(_, let orient, _) = picture.step,
      file.path != PipedInput.standardInput
    else { return nil }
    var status = stat()
    guard PathBytes.withBytes(of: file.path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    var writer = WireWriter()
    writer.append(UInt64(truncatingIfNeeded: PictureTraits.version))
    writer.append(UInt64(truncatingIfNeeded: status.st_dev))
    writer.append(UInt64(truncatingIfNeeded: status.st_ino))
    let version = FileVersion(status)
    writer.append(version.byteCount)
    writer.append(version.modified)
    let changed = status.changeTime
    writer.append(UInt64(truncatingIfNeeded: changed.tv_sec))
    writer.append(UInt64(truncatingIfNeeded: changed.tv_nsec))
    writer.append(UInt8(orient ? 1 : 0))
    return SHA256.digest(of: writer.bytes).description
  }

  /// Returns the traits stored under a key; nil if there are none.
  package func traits(_ key: String) -> PictureTraits? {
    let extra = Self.magic.count + Self.digestByteCount
    guard let bytes = folder.read(key, atMost: Self.maximumByteCount), bytes.count >= extra,
      bytes.starts(with: Self.magic)
    else { return nil }
    let content = Array(bytes.dropLast(Self.digestByteCount))
    // The digest covers the key, because an entry that was renamed belongs to another picture.
    guard SHA256.digest(of: content + key.utf8).bytes.elementsEqual(bytes[content.count...]) else { return nil }
    return PictureTraits(stored: Array(content.dropFirst(Self.magic.count)))
  }

  func keep(_ traits: PictureTraits, _ key: String) {
    let content = Self.magic + traits.stored
    folder.keep(content + SHA256.digest(of: content + key.utf8).bytes, key)
  }

  func prune() { folder.prune(keeping: Self.maximumEntries) }
}
