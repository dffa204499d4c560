import BookComposing
import ImageCore
import ImagePipeline

/// An output that a dry run has planned. Immutable; used from any thread.
package struct PlannedOutput: Sendable {
  enum Content: Sendable {
    case picture(Picture)
    case book(BookDrawing)
  }

  /// The file, with the number of the page in one of several pages.
  let path: String
  let content: Content
  let position: ScriptPosition?

  /// Returns the outputs of a checked graph: files of one picture, pages of files of several, and books.
  package static func all(of graph: CheckedGraph) -> [PlannedOutput] {
    let outputs = graph.outputs
    let drawings = outputs.documents.map { BookDrawing($0) }
    let books = Set(zip(outputs.documents, drawings).filter { $1 != nil }.map { ObjectIdentifier($0.0) })
    let files = outputs.files.map { PlannedOutput(path: $0.path, content: .picture($0.picture), position: $0.position) }
    let pages = outputs.entries.filter { !books.contains(ObjectIdentifier($0.document)) }.map { page in
      PlannedOutput(
        path: page.document.title(of: page), content: .picture(page.picture), position: page.document.job.position)
    }
    return files + pages
      + drawings.compactMap { drawing in
        drawing.map { PlannedOutput(path: $0.path, content: .book($0), position: $0.position) }
      }
  }
}
