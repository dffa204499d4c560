import ImageCore
import Platform

/// Removes outputs of earlier runs.
package enum OutputRemoval {
  /// Returns whether a file may be a tile of a pyramid, given its path in the pyramid's folder.
  ///
  /// - Parameter path: the path of the file that describes the pyramid.
  package static func isTile(_ name: String, describedBy path: String) -> Bool {
    TilesFile.isTile(name, path.hasSuffix(".dzi") ? .deepzoom : .iiif)
  }

  /// Removes the file at a path, and the folders that become empty. Links that are inserted into the path meanwhile are
  /// not followed. Wraps `unlinkat(2)`. Returns whether the removal succeeded.
  ///
  /// - Parameters:
  ///   - folder: a folder that belongs to the output, and is removed first; nil for none.
  ///   - outer: the folder of outputs. Only folders inside it are removed.
  package static func remove(_ path: String, folder inner: String? = nil, in outer: String) -> Bool {
    if let inner {
      let place = InternedPath(realPathOf: inner)
      guard let above = try? OutputFolder.open(place.folderPath, for: inner) else { return false }
      FolderTree.remove(place.name, in: above.descriptor)
      guard FileIdentity(at: inner) == nil else { return false }
      // The file itself may have been in the folder.
      if FileIdentity(at: path) == nil {
        removeEmptyFolders(above: inner, in: outer)
        return true
      }
    }
    let place = InternedPath(realPathOf: path)
    guard let folder = try? OutputFolder.open(place.folderPath, for: path),
      PathBytes.withBytes(of: place.name, { unlinkat(folder.descriptor, $0, 0) }) == 0
    else { return false }
    try? folder.sync(for: path)
    removeEmptyFolders(above: path, in: outer)
    return true
  }

  private static func removeEmptyFolders(above path: String, in outer: String) {
    let top = InternedPath(realPathOf: outer + "/x").folderText
    var place = InternedPath(realPathOf: path)
    while place.folderText != top, place.folderText.utf8.starts(with: top.utf8) {
      place = InternedPath(realPathOf: place.folderPath)
      guard let above = try? OutputFolder.open(place.folderPath, for: path),
        PathBytes.withBytes(of: place.name, { unlinkat(above.descriptor, $0, AT_REMOVEDIR) }) == 0
      else { return }
    }
  }
}
