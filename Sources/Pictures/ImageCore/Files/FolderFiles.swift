import Platform

/// The regular files in a folder and its subfolders, following links.
///
/// Names that begin with a dot are ignored. A folder that can be reached through several links is read once.
public struct FolderFiles: Sendable {
  public struct File: Sendable {
    /// The path for system calls, encoded as in `PathBytes`.
    public let path: String
    /// The path relative to the folder, for messages.
    public let name: String
    public let identity: FileIdentity
  }

  /// The files, folder by folder, and sorted by name in each folder. Those of a folder come before those in its
  /// subfolders.
  public private(set) var files: [File] = []
  /// Entries that could not be read, each with its error.
  public private(set) var unread: [(name: String, error: FileError)] = []
  /// The deepest nesting of folders that is followed.
  private static let maximumDepth = 64

  public init(in path: String) {
    var visited: Set<FileIdentity> = []
    var folders = [(path: path, name: "", depth: 0)]
    if let identity = FileIdentity(at: path) { visited.insert(identity) }
    while let folder = folders.popLast() {
      for entry in entries(of: folder.path, folder.name) where !PathName.isHidden(entry) {
        let path = folder.path + "/" + entry
        let name = folder.name + String(decoding: PathBytes.bytes(of: entry), as: UTF8.self)
        guard let status = fileStatus(path) else {
          unread.append((name, FileError(.open, path: path, code: errno)))
          continue
        }
        let identity = FileIdentity(status)
        if status.st_mode & S_IFMT == S_IFREG {
          files.append(File(path: path, name: name, identity: identity))
        } else if status.st_mode & S_IFMT == S_IFDIR, visited.insert(identity).inserted {
          // The folder has not been visited. A link may lead to a visited one, such as an enclosing folder.
          if folder.depth < Self.maximumDepth {
            folders.append((path, name + "/", folder.depth + 1))
          } else {
            unread.append((name + "/", FileError(.open, path: path, code: ENAMETOOLONG)))
          }
        }
      }
    }
  }

  /// The identities of all files.
  public var identities: Set<FileIdentity> { Set(files.lazy.map(\.identity)) }

  /// Returns whether a path leads to a folder.
  public static func isFolder(_ path: String) -> Bool {
    fileStatus(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  /// Returns the sorted names in a folder. An unreadable folder is added to `unread` and treated as empty.
  private mutating func entries(of path: String, _ name: String) -> [String] {
    guard let names = folderNames(path) else {
      unread.append((name, FileError(.open, path: path, code: errno)))
      return []
    }
    return names.sorted()
  }
}

extension FolderFiles {
  /// Creates a folder at an absolute path, and its missing parents. Only this user can access the new folders. A
  /// failure becomes apparent when the folder is used.
  public static func make(_ path: String) {
    var folder = ""
    for part in PathName.parts(path) {
      folder += "/" + part
      mkdir(folder, 0o700)
    }
  }
}
