import ImageCore
import Platform

/// A folder for temporary files, in the folder named by `TMPDIR`, or else in `/tmp`. It is removed with its contents,
/// even if a signal ends the process. If the process is killed, a later run removes it.
package final class ScratchFolder: Sendable {
  /// The path, without links.
  package let path: String
  private let tree: TemporaryTree

  package init() throws(FileError) {
    let place = temporaryFolder
    var paths = RealPaths()
    do throws(FileError) {
      let parent = try OutputFolder.open(paths.folder(place), for: place)
      tree = try TemporaryTree(in: parent, for: place)
    } catch { throw .temporary(error.code) }
    path = tree.path
  }

  deinit { remove() }

  /// Removes the folder now.
  package func remove() { tree.remove() }
}
