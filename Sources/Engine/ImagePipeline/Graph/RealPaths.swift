import ImageCore
import Platform

/// Finds the real paths of files by following links, so that no output can replace a source picture or another output
/// under another name.
///
/// Each existing folder is resolved once. Paths are compared by their bytes, because two names in a folder may be equal
/// as `String`s, such as an é of one scalar and one of two. Results have the form of `PathBytes`.
package struct RealPaths {
  /// A path that is compared by its bytes.
  package struct Path: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: Path, right: Path) -> Bool {
      var (left, right) = (left.text, right.text)
      return left.withUTF8 { left in
        right.withUTF8 { right in
          left.count == right.count && (left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0)
        }
      }
    }

    package func hash(into hasher: inout Hasher) {
      var text = text
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  /// The maximum length of a chain of links: the kernel's limit.
  private static let mostLinks = 40
  /// The folder that relative paths start from.
  private let workingFolder: String
  private var folders: [Path: String] = [:]
  /// The interned folders of the results, because thousands of paths are kept.
  private var shared = InternedPath.Folders()
  /// The links of other users that were found and are not trusted. They are not followed, and remain in the results.
  private var strangersLinks: Set<Path> = []
  /// The folder that was requested last, because successive files of a glob often share a folder.
  private var last: (folder: Path, real: String)?

  /// Wraps `getcwd(3)`.
  package init() {
    let folder = getcwd(nil, 0)
    workingFolder = folder.map { PathBytes.text($0) } ?? "/"
    free(folder)
  }

  /// Returns the real path of an existing or future file. Links are followed, even if their target does not exist.
  /// Other users' links that are not trusted are not followed: see `strangersLink(in:)`.
  ///
  /// - Parameter mayBeLink: false if the path itself is known not to be a link.
  package mutating func place(of path: String, mayBeLink: Bool = true) -> InternedPath {
    InternedPath(real(path, mayBeLink: mayBeLink), in: &shared)
  }

  /// Returns the real path of a folder, without a slash at its end; empty for the root.
  mutating func folder(_ path: String) -> String {
    let found = real(path.isEmpty ? "." : path, mayBeLink: true)
    return found == "/" ? "" : found
  }

  /// Returns another user's link that is not trusted, and that a path goes through or ends in; nil if there is none.
  /// The path must have been looked up with this object.
  func strangersLink(in place: InternedPath) -> String? {
    guard !strangersLinks.isEmpty else { return nil }
    let path = place.text.utf8
    return strangersLinks.first { link in
      path.starts(with: link.text.utf8)
        && (path.count == link.text.utf8.count || path.starts(with: (link.text + "/").utf8))
    }?.text
  }

  private mutating func real(_ path: String, mayBeLink: Bool) -> String {
    let whole = PathName.isAbsolute(path) ? path : workingFolder + "/" + path
    let found = target(whole, Self.mostLinks, follows: mayBeLink)
    // If links changed nothing, the string of the path is returned, so that its memory is shared.
    return found.utf8.elementsEqual(path.utf8) ? path : found
  }

  /// Returns the real path for an absolute path. `PathName.absolute` cannot be used, because `..` after a link means
  /// the parent of the link's target.
  ///
  /// - Parameters:
  ///   - links: the number of links that may still be followed.
  ///   - follows: whether the path itself is followed if it is a link.
  private mutating func target(_ path: String, _ links: Int, follows: Bool) -> String {
    let (folder, name) = Self.split(path)
    guard !name.isEmpty else { return "/" }
    let real = realFolder(folder, links)
    if name == "." { return real }
    if name == ".." { return Self.split(real).folder }
    let place = (real == "/" ? "" : real) + "/" + String(name)
    guard follows, links > 0, let next = link(place) else { return place }
    return target(
      PathName.isAbsolute(next) ? next : real + "/" + next, links - 1, follows: true)
  }

  /// Returns the folder and the name of a path, both without a slash at the end. The root folder has an empty name.
  private static func split(_ path: String) -> (folder: String, name: Substring) {
    let name = PathName.name(path)
    let before = path[..<name.startIndex].utf8
    let end = before.lastIndex { $0 != UInt8(ascii: "/") }.map(before.index(after:))
    return (end.map { String(path[..<$0]) } ?? "/", name)
  }

  /// Returns the real path of a folder. A folder that does not exist yet is located below its nearest existing
  /// ancestor.
  private mutating func realFolder(_ folder: String, _ links: Int) -> String {
    if folder == "/" { return folder }
    let key = Path(folder)
    if let last, last.folder == key { return last.real }
    if let known = folders[key] {
      last = (key, known)
      return known
    }
    let isPlain = Self.hasNoLinks(folder)
    let found = isPlain ? PathName.absolute(folder, in: "/") : target(folder, links, follows: true)
    guard isPlain || Self.exists(found) else { return found }
    folders[key] = found
    last = (key, found)
    return found
  }

  /// Returns the target of a link; nil for anything else, and for another user's link that is not trusted. Wraps
  /// `readlink(2)`.
  private mutating func link(_ path: String) -> String? {
    let target: String? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
      let count = PathBytes.withBytes(of: path) {
        readlink($0, buffer.baseAddress!, buffer.count - 1)
      }
      guard count > 0 else { return nil }
      buffer[count] = 0
      return PathBytes.text(buffer.baseAddress!)
    }
    guard target != nil, isStrangersLink(path, isForWriting: true) else { return target }
    strangersLinks.insert(Path(path))
    return nil
  }

  /// Returns whether a folder exists and no part of its path is a link, which is true of most folders.
  private static func hasNoLinks(_ path: String) -> Bool {
    PathBytes.withBytes(of: path, isFolderWithoutLinks)
  }

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return PathBytes.withBytes(of: path) { lstat($0, &status) } == 0
  }
}
