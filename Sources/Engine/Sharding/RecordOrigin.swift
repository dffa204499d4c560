import ImageCore
import ImagePipeline

/// The manifest from which a record was read, and the names of its books, for messages.
struct RecordOrigin {
  let file: String
  /// The paths as in the manifest.
  let books: [String]

  /// Returns the problem with a record that lacks the book at a path; nil if the record contains the book.
  ///
  /// - Parameter refused: the book that prevented a merge from using the record.
  func problem(besides path: String, in folder: ShardFolder, refused: RefusedDocument?) -> String? {
    guard !books.contains(where: { folder.absolute($0) == path }) else { return nil }
    let index = refused?.index ?? 0
    let reason = refused.map { $0.reason.isEmpty ? ", which is no book" : " (\($0.reason))" } ?? ""
    return "merge.books[\(index)] in '\(printable(file))' is '\(printable(books[index]))'\(reason), and this book is "
      + "not there: the file was changed after the shard had written it; run the shards again"
  }
}
