import ImageCore
import ImagePipeline

/// The sink `book`: one document of all pictures.
package final class BookSink: Sink {
  let tools: BookTools
  /// The digests of the files from which pages are made.
  let digests = SourceDigests()
  /// Books with arranged pages, and their covers.
  var boundBooks: [BoundBook] = []

  init(_ tools: BookTools) { self.tools = tools }

  /// Returns the sink's definition for the engine.
  package static func definition(_ tools: BookTools) -> SinkDefinition {
    SinkDefinition(parameters: BookOptions.all) { BookSink(tools) }
  }

  package func check(_ request: OutputRequest, with checker: inout SinkChecker) { checker.checkBook(request, self) }

  package func document(of book: RecordedBook, _ job: Job, _ options: RunOptions) -> (any Document)? {
    BookAssembler(book, job, options, self)
  }

  package func checkTogether(with checker: inout SinkChecker) { checker.checkCovers(self) }
}

extension BookSink {
  /// A book of the script with arranged pages.
  struct BoundBook {
    let path: String
    let binding: BookBinding
    let request: OutputRequest
  }

  /// Remembers a book for its cover.
  func bind(_ plan: BookPlan, _ path: String, _ request: OutputRequest) {
    boundBooks.append(BoundBook(path: path, binding: plan.binding, request: request))
  }
}
