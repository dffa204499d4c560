import ImageCore
import Platform

/// Removes outputs of earlier runs.
package enum OutputRemoval {
  /// Removes the file at a path, and its folder if nothing else is in it. No link is followed that is put into the path
  /// meanwhile. Wraps `unlinkat(2)`. Returns whether the file is gone.
  ///
  /// - Parameter folder: a folder whose files belong to the output, which is removed first; nil for none.
  package static func remove(_ path: String, folder inner: String? = nil) -> Bool {
    if let inner {
      let place = InternedPath(realPathOf: inner)
      guard let outer = try? OutputFolder.open(place.folderPath, for: inner) else { return false }
      FolderTree.remove(place.name, in: outer.descriptor)
      // The file itself may be in the folder.
      if FileIdentity(at: path) == nil { return true }
    }
    let place = InternedPath(realPathOf: path)
    guard let folder = try? OutputFolder.open(place.folderPath, for: path),
      PathBytes.withBytes(of: place.name, { unlinkat(folder.descriptor, $0, 0) }) == 0
    else { return false }
    try? folder.sync(for: path)
    if let folder = PathName.folder(path) { rmdir(String(folder)) }
    return true
  }
}
