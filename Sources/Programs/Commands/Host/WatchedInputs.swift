import ImageCore
import Platform

/// The files and folders that a run has read and searched, for `imghost run --watch`. A change may be reported with
/// another path to the same file, so a file is identified by its name and the identity of its folder.
struct WatchedInputs {
  /// The files, and the targets of all symbolic links among the files, their folders and the searched folders. Some of
  /// the files and targets may be missing.
  let read: Set<String>
  /// The folders that contain these files or the searched folders, and the searched folders themselves.
  let folders: Set<String>
  private var files: Set<Key> = []
  private var searched: Set<FileIdentity> = []

  private struct Key: Hashable {
    let folder: FileIdentity
    let name: Substring
  }

  /// - Parameter searched: the searched folders, and paths that were looked up.
  init(read paths: Set<String>, searched: Set<String>) {
    let searched = Set(searched.map { $0.hasSuffix("/") && $0 != "/" ? String($0.dropLast()) : $0 })
    // A linked file or folder changes when the target of the link changes.
    let links = paths.union(searched).union(paths.map(Self.folder))
    read = paths.union(links.flatMap(Self.targets))
    folders = Set(read.map(Self.folder)).union(searched.map(Self.folder)).union(searched)
    self.searched = Set(searched.compactMap { FileIdentity(at: $0) })
    var identities: [String: FileIdentity?] = [:]
    for path in read.union(searched) {
      let folder = Self.folder(of: path)
      let identity = identities[folder] ?? FileIdentity(at: folder)
      identities[folder] = .some(identity)
      if let identity { files.insert(Key(folder: identity, name: PathName.name(path))) }
    }
  }

  /// Returns whether a path was read or looked up, or is in a searched folder and not hidden, because patterns do not
  /// match hidden files. Also true if the path's folder does not exist.
  func contains(_ path: String) -> Bool {
    guard let folder = FileIdentity(at: Self.folder(of: path)) else { return true }
    let name = PathName.name(path)
    return files.contains(Key(folder: folder, name: name))
      || searched.contains(folder) && !PathName.isHidden(String(name))
  }

  /// Returns the folder of a path; `.` for a name.
  static func folder(of path: String) -> String {
    guard let folder = PathName.folder(path) else { return "." }
    return folder.isEmpty ? "/" : String(folder)
  }

  /// Returns the target of a symbolic link, and the further targets if this is a link, too; none for other files.
  private static func targets(_ path: String) -> [String] {
    var (path, found): (String, [String]) = (path, [])
    while found.count < 40, let target = target(of: path) {
      path = PathName.isAbsolute(target) ? target : folder(of: path) + "/" + target
      found.append(path)
    }
    return found
  }

  /// Returns the target of a symbolic link; nil for other files. Wraps `readlink(2)`.
  private static func target(of path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
      let count = readlink(path, buffer.baseAddress!, buffer.count - 1)
      guard count > 0 else { return nil }
      buffer[count] = 0
      return PathBytes.text(buffer.baseAddress!)
    }
  }
}
