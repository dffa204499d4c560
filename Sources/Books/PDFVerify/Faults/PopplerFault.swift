/// A message by poppler, or a difference between its reading and the verifier's.
enum PopplerFault: FaultKind {
  case refuses(String)
  case message(String)
  /// A message that poppler calls an error, in a book with expectations.
  case error(String)
  /// The number of poppler's messages that are left out.
  case more(Int)
  case pageCount(own: Int, poppler: Int)

  /// Returns whether a message by poppler reports an error.
  static func isError(_ message: String) -> Bool {
    ["Syntax error", "Internal error", "Unknown error"].contains { message.hasPrefix($0) }
  }

  var severity: Severity {
    switch self {
    case .message, .more: .warning
    default: .error
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
