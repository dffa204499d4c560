import ImageCore
import ImagePipeline

/// The sink `book`, which writes all pictures to one document.
package final class BookSink: Sink {
  let tools: BookTools
  /// The digests of the files from which pages are made.
  let digests = SourceDigests()
  var boundBooks: [BoundBook] = []

  init(_ tools: BookTools) { self.tools = tools }

  /// Returns the sink's definition for the engine.
  package static func definition(_ tools: BookTools) -> SinkDefinition {
    SinkDefinition(.book, ending: "pdf", storesFiles: true, parameters: BookOptions.all) { BookSink(tools) }
  }

  package func check(_ request: OutputRequest, in context: CheckContext) -> CheckedOutputs {
    context.outputs { checks in
      var checker = BookChecker(request: request, sink: self, checks: checks)
      checker.check()
      checks = checker.checks
    }
  }

  package func checkTogether(in context: CheckContext) -> CheckedOutputs { context.outputs { checkCovers(&$0) } }

  /// Returns the reason to keep a file; nil if it may be replaced. Only a PDF or an empty file may be replaced. Any
  /// other file may be one that the script uses, such as a picture.
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
}

extension BookSink {
  /// A book or a cover whose pages have been arranged. Covers are compared with their books.
  struct BoundBook {
    let path: String
    let binding: BookBinding
    let request: OutputRequest
  }

  /// Rejects covers that do not fit the book they name. The page count of a cover that names no book must be that of
  /// one of the script's books of the same size, if there are any.
  private func checkCovers(_ checks: inout SinkChecker) {
    for cover in boundBooks where cover.binding.isCover {
      guard let inside = cover.request.coverOf else {
        compare(cover, with: boundBooks, &checks)
        continue
      }
      guard let book = boundBooks.first(where: { $0.request.job === inside }) else { continue }
      for text in book.binding.contradictions(of: cover.binding, path: printable(book.path)) {
        checks.mistake(cover.request, text + "; leave it out")
      }
    }
  }

  /// Compares a cover that names no book with the books whose pages have its size. Without such books, the cover may
  /// belong to a book of another script.
  private func compare(_ cover: BoundBook, with known: [BoundBook], _ checks: inout SinkChecker) {
    guard let pages = cover.binding.pages else { return }
    let books = known.filter {
      !$0.binding.isCover && !$0.request.isContactSheet && $0.binding.fits(cover.binding)
    }
    func distance(_ book: BoundBook) -> Int { abs((book.binding.pages ?? 0) - pages) }
    // If several books have the same paper, such as a book and its preview, the cover belongs to the one with the
    // nearest page count.
    let nearest = books.filter { $0.binding.hasPages(asLargeAs: cover.binding) }.min { distance($0) < distance($1) }
    guard let nearest, !books.contains(where: { distance($0) == 0 }) else { return }
    checks.mistake(
      cover.request,
      "'cover_pages' is \(pages), but '\(printable(nearest.path))' of this script has "
        + "\(BookBinding.count(nearest.binding.pages ?? 0)); write cover_of = book, with what img.book "
        + "returns, instead")
  }
}
