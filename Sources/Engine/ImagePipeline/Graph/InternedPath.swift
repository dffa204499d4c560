/// A path whose folder is interned: the thousands of files of a run are in few folders, and each folder is stored once.
/// A name of up to 15 bytes takes no additional memory.
package struct InternedPath: Sendable, Hashable {
  /// The part before the name, with its slash; empty for none.
  final class Folder: Sendable {
    let text: String
    init(_ text: String) { self.text = text }

    /// The folder of a path without a slash.
    static let none = Folder("")
  }

  struct Folders {
    private var known: [RealPaths.Path: Folder] = [:]
    /// The folder that was requested last, because successive files of a glob often share a folder.
    private var last = Folder.none

    fileprivate mutating func folder(_ text: Substring) -> Folder {
      if text.isEmpty { return .none }
      if last.text.utf8.elementsEqual(text.utf8) { return last }
      let text = String(text)
      let key = RealPaths.Path(text)
      last = known[key] ?? Folder(text)
      known[key] = last
      return last
    }
  }

  private let folder: Folder
  /// The part after the last slash; empty if the path ends with one.
  let name: String

  /// - Parameter folders: the interned folders; this path's folder is added.
  init(_ path: String, in folders: inout Folders) {
    let start = Self.nameStart(path)
    name = String(path[start...])
    folder = folders.folder(path[..<start])
  }

  /// Makes a path whose folder is not interned.
  package init(_ path: String) {
    let start = Self.nameStart(path)
    name = String(path[start...])
    folder = start == path.startIndex ? .none : Folder(String(path[..<start]))
  }

  /// Makes the path of an existing or future file after following links; see `RealPaths`.
  package init(realPathOf path: String) {
    var paths = RealPaths()
    self = paths.place(of: path)
  }

  private static func nameStart(_ path: String) -> String.Index {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
  }

  func sharesFolder(with other: InternedPath) -> Bool { folder === other.folder }

  /// Compares paths by their bytes, as the system does.
  package static func == (left: Self, right: Self) -> Bool {
    (left.folder === right.folder || left.folder.text.utf8.elementsEqual(right.folder.text.utf8))
      && left.name.utf8.elementsEqual(right.name.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    func combine(_ text: String) {
      var text = text
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
    combine(folder.text)
    combine(name)
  }

  /// Returns the path of another file in the same folder.
  func renamed(_ name: String) -> InternedPath { InternedPath(folder: folder, name: name) }

  private init(folder: Folder, name: String) {
    self.folder = folder
    self.name = name
  }

  /// The folder's path, without the slash.
  var folderPath: String { String(Substring(folder.text.utf8.dropLast())) }

  /// The folder's path with the slash at its end; empty for none.
  package var folderText: String { folder.text }
  /// The whole path, byte for byte.
  package var text: String { folder.text + name }
}
