import ImageCore
import ImagePipeline

/// What becomes of a book's page whose picture cannot be had, and the way out: the only place for these words, which
/// follow the reason.
struct PageLoss: Sendable {
  /// `page`, or `picture` where pages have several.
  let unit: String
  /// Among the pictures that the book was given, from 1.
  let number: Int
  let book: String
  /// Whether the book is written without.
  let goesOn: Bool
  /// Whether the others stand where they would stand with it.
  let keepsPlaces: Bool

  /// - Parameter index: among the pictures that the book was given, from 0.
  init(
    of index: Int, isOnePicturePerPage: Bool, book: String, goesOn: Bool, isPlanned: Bool
  ) {
    unit = isOnePicturePerPage ? "page" : "picture"
    number = index + 1
    self.book = printable(book)
    self.goesOn = goesOn
    keepsPlaces = isPlanned && !isOnePicturePerPage
  }

  /// What happened to the page.
  var consequence: String {
    guard goesOn else { return "'\(book)' is not written" }
    return "\(unit) \(number) is left out of '\(book)'"
      + (keepsPlaces ? ", and the others keep their places" : "")
  }

  /// What else can be done; nil for nothing.
  ///
  /// - Parameter error: nil for what is known from headers and options.
  func wayOut(of error: PictureError? = nil) -> String? {
    var ways: [String] = []
    if !goesOn { ways.append("--on-error continue leaves \(unit) \(number) out") }
    switch error {
    case .codec(.truncated), .codec(.damaged):
      ways.append("open(…, { damaged = \"accept\" }) shows what can be read")
    default: break
    }
    return ways.isEmpty ? nil : ways.joined(separator: "; ")
  }

  /// A whole message.
  func message(_ reason: String, _ error: PictureError? = nil) -> String {
    [reason, consequence, wayOut(of: error)].compactMap { $0 }.joined(separator: "; ")
  }

  /// A failure with what becomes of the page.
  func diagnostic(_ known: Diagnostic) -> Diagnostic {
    Diagnostic(
      known.kind, at: known.position, subject: known.subject, file: known.file,
      message: message(known.message))
  }
}
