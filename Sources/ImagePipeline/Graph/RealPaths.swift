import ImageCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tells whether two paths lead to one file, links followed, so that no output replaces a picture that is
/// read, or another output, by another name.
///
/// Folders are asked for once. Paths are compared by their bytes: `String` takes an é of one character and
/// one of two for the same, a folder may hold both.
struct RealPaths {
  /// A path, of which the bytes count.
  struct Path: Hashable {
    let text: String
    init(_ text: String) { self.text = text }

    static func == (left: Path, right: Path) -> Bool {
      var (left, right) = (left.text, right.text)
      return left.withUTF8 { left in
        right.withUTF8 { right in
          left.count == right.count
            && (left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0)
        }
      }
    }
    func hash(into hasher: inout Hasher) {
      var text = text
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  private var folders: [Path: String] = [:]
  /// Of what is handed out, of which thousands are kept.
  private var shared = SplitPath.Folders()
  /// The last that was asked for: a glob's files are in one.
  private var last: (folder: Path, real: String)?

  /// Where a new file with this absolute path will be: the last part is replaced, not followed.
  mutating func output(_ path: String) -> SplitPath { SplitPath(target(path), in: &shared) }

  private mutating func target(_ path: String) -> String {
    if PathName.isPlain(path), let parent = PathName.folder(path) {
      let folder = parent.isEmpty ? "/" : String(parent)
      let found = real(folder)
      if Path(found) == Path(folder) { return path }
      return (found == "/" ? "" : found) + path[parent.endIndex...]
    }
    let parts = PathName.parts(path)
    guard let name = parts.last else { return "/" }
    let folder = real("/" + parts.dropLast().joined(separator: "/"))
    return (folder == "/" ? "" : folder) + "/" + name
  }

  /// What must not be replaced when this file is read: its name, and where that leads.
  ///
  /// - Parameter mayBeLink: false where it is known that it is none.
  mutating func source(_ path: String, mayBeLink: Bool = true) -> Set<SplitPath> {
    var paths: Set<SplitPath> = [output(path)]
    // What is no link itself is in its folder, which has been followed.
    guard mayBeLink, Self.isLink(path) else { return paths }
    if let followed = Self.followed(path) { paths.insert(SplitPath(followed, in: &shared)) }
    return paths
  }

  /// A folder that is yet to be made is where its nearest one that exists is.
  private mutating func real(_ folder: String) -> String {
    let key = Path(folder)
    if let last, last.folder == key { return last.real }
    if let known = folders[key] ?? Self.followed(folder) {
      folders[key] = known
      last = (key, known)
      return known
    }
    return folder == "/" ? "/" : target(folder)
  }

  /// Wraps `lstat(2)`.
  private static func isLink(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
  }

  /// Wraps `realpath(3)`.
  private static func followed(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}
