import ImageCore
import ImagePipeline

/// Words about a page whose picture cannot be made: what becomes of it, and the way out. They follow the reason.
struct PageLoss: Sendable {
  /// `page`, or `picture` if pages have several.
  let unit: String
  /// The picture's number in the call, from 1.
  let number: Int
  let book: String
  /// Whether the book is written without it.
  let goesOn: Bool
  /// Whether the others keep their places.
  let keepsPlaces: Bool

  /// - Parameter index: the picture's place in the call, from 0.
  init(
    of index: Int, isOnePicturePerPage: Bool, book: String, goesOn: Bool, isPlanned: Bool
  ) {
    unit = isOnePicturePerPage ? "page" : "picture"
    number = index + 1
    self.book = printable(book)
    self.goesOn = goesOn
    keepsPlaces = isPlanned && !isOnePicturePerPage
  }

  /// A clause about what becomes of the page.
  var consequence: String {
    guard goesOn else { return "'\(book)' is not written" }
    return "\(unit) \(number) is left out of '\(book)'" + (keepsPlaces ? ", and the others keep their places" : "")
  }

  /// Returns a clause about what else can be done; nil for nothing.
  ///
  /// - Parameter error: nil if headers or options ruled the picture out.
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

  /// Returns a whole message.
  func message(_ reason: String, _ error: PictureError? = nil) -> String {
    [reason, consequence, wayOut(of: error)].compactMap { $0 }.joined(separator: "; ")
  }

  /// Adds what becomes of the page to a failure.
  func diagnostic(_ known: Diagnostic) -> Diagnostic {
    Diagnostic(
      known.kind, at: known.position, subject: known.subject, file: known.file,
      message: message(known.message))
  }
}
