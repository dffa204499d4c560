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
    SinkDefinition(.book, storesFiles: true, parameters: BookOptions.all) { BookSink(tools) }
  }

  package func check(_ request: OutputRequest, with checker: inout SinkChecker) { checker.checkBook(request, self) }

  /// Only an earlier book is replaced. The pictures, modules and plugins of the script are known only when it runs.
  package func reasonToKeep(_ path: String) -> String? {
    do throws(FileError) {
      let beginning = try InputFile(path: path).bytes(at: 0, count: 5)
      return beginning.isEmpty || beginning == Array("%PDF-".utf8) ? nil : "there is a file that is no book"
    } catch {
      return error.isAbsence ? nil : "there is a file that is no book"
    }
  }

  package func document(of recorded: RecordedDocument, _ job: Job, _ options: RunOptions) -> (any Document)? {
    BookAssembler(recorded, job, options, self)
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
