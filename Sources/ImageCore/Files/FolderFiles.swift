#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Which files a folder and those inside it hold, by what they are and not by their names.
public enum FolderFiles {
  /// The most folders inside each other.
  private static let maximumDepth = 64

  /// All regular files, also behind links; folders that cannot be read hold none. As the verifier reads a folder of
  /// pictures, names that begin with a dot are left out.
  public static func identities(in path: String) -> Set<FileIdentity> {
    var found: Set<FileIdentity> = []
    var visited: Set<FileIdentity> = []
    var folders = [(path: path, depth: 0)]
    if let identity = FileIdentity(at: path) { visited.insert(identity) }
    while let folder = folders.popLast() {
      for name in names(in: folder.path) where !PathName.isHidden(name) {
        let path = folder.path + "/" + name
        guard let status = status(of: path) else { continue }
        let identity = FileIdentity(status)
        if status.st_mode & S_IFMT == S_IFREG {
          found.insert(identity)
        } else if status.st_mode & S_IFMT == S_IFDIR, folder.depth < maximumDepth,
          // A link may lead back to where it is.
          visited.insert(identity).inserted
        {
          folders.append((path, folder.depth + 1))
        }
      }
    }
    return found
  }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return PathBytes.withBytes(of: path) { stat($0, &status) } == 0 ? status : nil
  }

  /// As `PathBytes` has them; wraps `readdir(3)`.
  private static func names(in path: String) -> [String] {
    guard let directory = PathBytes.withBytes(of: path, { opendir($0) }) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { PathBytes.text($0) }
        })
    }
    return names
  }
}
