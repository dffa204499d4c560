import ImageCore
import ImagePipeline

/// `book`: one document of all pictures.
package final class BookSink: Sink {
  let tools: BookTools
  /// The digests of files that pages are made of.
  let digests = SourceDigests()
  /// Books whose pages are arranged, and their covers.
  var boundBooks: [BoundBook] = []

  init(_ tools: BookTools) { self.tools = tools }

  /// The sink as the engine takes it.
  package static func definition(_ tools: BookTools) -> SinkDefinition {
    SinkDefinition(parameters: BookOptions.all) { BookSink(tools) }
  }

  package func check(_ call: OutputRequest, with checker: inout SinkChecker) { checker.checkBook(call, self) }

  package func document(of book: RecordedBook, _ job: Job, _ options: RunOptions) -> (any Document)? {
    BookAssembler(book, job, options, self)
  }

  package func checkTogether(with checker: inout SinkChecker) { checker.checkCovers(self) }
}

extension BookSink {
  /// A book of the script whose pages are arranged.
  struct BoundBook {
    let path: String
    let binding: BookBinding
    let call: OutputRequest
  }

  /// Remembers a book for its cover.
  func bind(_ plan: BookPlan, _ path: String, _ call: OutputRequest) {
    boundBooks.append(BoundBook(path: path, binding: plan.binding, call: call))
  }
}
