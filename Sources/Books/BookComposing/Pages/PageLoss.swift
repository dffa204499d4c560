import ImageCore
import ImagePipeline

/// The message about a page whose picture cannot be made: the reason, the consequences, and a remedy.
struct PageLoss: Sendable {
  /// `page`, or `picture` if pages have several.
  let unit: String
  /// The picture's number in the message, from 1.
  let number: Int
  let book: String
  /// Whether the book is written without the page.
  let goesOn: Bool
  /// Whether the other pictures keep their places.
  let keepsPlaces: Bool

  init(
    of index: Int, isOnePicturePerPage: Bool, book: String, goesOn: Bool, isPlanned: Bool
  ) {
    unit = isOnePicturePerPage ? "page" : "picture"
    number = index + 1
    self.book = printable(book)
    self.goesOn = goesOn
    keepsPlaces = isPlanned && !isOnePicturePerPage
  }

  /// A clause about the consequences for the page or the book.
  var consequence: String {
    guard goesOn else { return "'\(book)' is not written" }
    return "\(unit) \(number) is left out of '\(book)'" + (keepsPlaces ? ", and the others keep their places" : "")
  }

  /// A clause about a remedy; nil for none.
  var wayOut: String? { goesOn ? nil : "--on-error continue leaves \(unit) \(number) out" }

  func message(_ reason: String) -> String { [reason, consequence, wayOut].compactMap(\.self).joined(separator: "; ") }

  /// Returns a failure with the consequences for the page added to its message.
  func diagnostic(_ known: Diagnostic) -> Diagnostic {
    var diagnostic = Diagnostic(
      known.kind, at: known.position, subject: known.subject, file: known.file, message: message(known.message))
    diagnostic.advice = known.advice
    return diagnostic
  }
}
