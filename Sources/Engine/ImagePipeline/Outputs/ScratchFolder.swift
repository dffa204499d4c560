import ImageCore
import Platform

/// A folder for files that nobody keeps, in the folder that `TMPDIR` names, else `/tmp`. Removed with all that is in it,
/// also when a signal ends the process; what a killed process leaves goes with a later run.
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

  /// Removes it now.
  package func remove() { tree.remove() }
}
