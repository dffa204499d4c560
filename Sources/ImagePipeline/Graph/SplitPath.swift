/// A path in two parts. Thousands of files wait, most of them in few folders: neighbours share one string for
/// these, and a name of up to 15 bytes needs none of its own.
struct SplitPath: Sendable {
  /// What comes before the name, with its slash; empty for none.
  final class Folder: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  private let folder: Folder
  /// What follows the last slash; empty where the path ends with one.
  let name: String

  /// - Parameter neighbour: a path whose folder is shared where it is the same.
  init(_ path: String, after neighbour: SplitPath?) {
    let cut = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
    let start = cut ?? path.startIndex
    name = String(path[start...])
    if let shared = neighbour?.folder, shared.text.utf8.elementsEqual(path.utf8[..<start]) {
      folder = shared
    } else {
      folder = Folder(String(path[..<start]))
    }
  }

  func sharesFolder(with other: SplitPath) -> Bool { folder === other.folder }

  /// The path, byte for byte.
  var text: String { folder.text + name }
}
