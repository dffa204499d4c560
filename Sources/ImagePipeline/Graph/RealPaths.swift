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
  typealias Path = [UInt8]

  private var folders: [Path: String] = [:]

  /// Where a new file with this absolute path will be: the last part is replaced, not followed.
  mutating func output(_ path: String) -> Path { Array(target(path).utf8) }

  private mutating func target(_ path: String) -> String {
    let parts = path.split(separator: "/")
    guard let name = parts.last else { return "/" }
    let folder = real("/" + parts.dropLast().joined(separator: "/"))
    return (folder == "/" ? "" : folder) + "/" + name
  }

  /// What must not be replaced when this file is read: its name, and where that leads.
  mutating func source(_ path: String) -> Set<Path> {
    var paths: Set<Path> = [output(path)]
    if let followed = Self.followed(path) { paths.insert(Array(followed.utf8)) }
    return paths
  }

  /// A folder that is yet to be made is where its nearest one that exists is.
  private mutating func real(_ folder: String) -> String {
    let key = Array(folder.utf8)
    if let known = folders[key] { return known }
    if let followed = Self.followed(folder) {
      folders[key] = followed
      return followed
    }
    return folder == "/" ? "/" : target(folder)
  }

  /// Wraps `realpath(3)`.
  private static func followed(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}
