/// A complaint of poppler's, or a difference between what it reads and what the verifier reads.
enum PopplerFault: FaultKind {
  case refuses(String)
  case message(String)
  /// A message that poppler calls an error, in a book that says how it was written.
  case error(String)
  /// Lines of poppler's that are left out.
  case more(Int)
  case pageCount(own: Int, poppler: Int)

  /// Whether a message of poppler's says that something is wrong.
  static func isError(_ message: String) -> Bool {
    ["Syntax error", "Internal error", "Unknown error"].contains { message.hasPrefix($0) }
  }

  var severity: Severity {
    switch self {
    case .message, .more: .warning
    case .refuses, .error, .pageCount: .error
    }
  }

  var text: String {
    switch self {
    case .refuses(let reason): "poppler cannot open the file: \(reason)"
    case .message(let text), .error(let text): "poppler says: \(text)"
    case .more(let count): "poppler says \(FaultText.count(count, "more line"))"
    case .pageCount(let own, let poppler):
      "poppler counts \(FaultText.count(poppler, "page")); the page tree has \(own)"
    }
  }
}
