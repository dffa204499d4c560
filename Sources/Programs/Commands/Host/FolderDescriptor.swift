import ImageCore
import Platform

/// An open folder. Its items are accessed relative to its descriptor, so that no link in the path can redirect the
/// access.
final class FolderDescriptor {
  let value: Int32

  /// Opens a folder. Returns nil and sets `errno` if it is missing, a link, or not a folder. Wraps `openat(2)`.
  init?(_ parent: Int32, _ name: String) {
    value = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if value < 0 { return nil }
  }

  deinit { if value >= 0 { close(value) } }

  /// Returns the names of the items in no particular order, including hidden ones.
  func names() -> [String] { folderNames(of: value) ?? [] }

  /// Removes an item; a folder is removed with its contents, and a link without its target. Returns false and sets
  /// `errno` on failure.
  func remove(_ name: String) -> Bool {
    if unlinkat(value, name, 0) == 0 { return true }
    guard errno == EISDIR || errno == EPERM else { return false }
    guard let folder = FolderDescriptor(value, name) else { return false }
    for name in folder.names() where !folder.remove(name) { return false }
    return unlinkat(value, name, AT_REMOVEDIR) == 0
  }
}
