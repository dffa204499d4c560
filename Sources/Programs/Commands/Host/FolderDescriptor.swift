import ImageCore
import Platform

/// An open folder, through which its items are reached: no link on the way can lead elsewhere.
final class FolderDescriptor {
  let value: Int32

  /// Opens a folder; nil, with `errno` set, if it is missing, a link, or something else. Wraps `openat(2)`.
  init?(_ parent: Int32, _ name: String) {
    value = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if value < 0 { return nil }
  }

  deinit { if value >= 0 { close(value) } }

  /// The names of the items, in no order, hidden ones among them. Wraps `readdir(3)`.
  func names() -> [String] {
    let copy = openat(value, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let folder = fdopendir(copy) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = entryName(entry)
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes an item, a folder with all that is in it. A link is removed itself. False, with `errno` set, on failure.
  func remove(_ name: String) -> Bool {
    if unlinkat(value, name, 0) == 0 { return true }
    guard errno == EISDIR || errno == EPERM else { return false }
    guard let folder = FolderDescriptor(value, name) else { return false }
    for name in folder.names() where !folder.remove(name) { return false }
    return unlinkat(value, name, AT_REMOVEDIR) == 0
  }
}
