/// A message from poppler, or a difference between poppler's reading and the verifier's.
enum PopplerFault: FaultKind {
  case refuses(String)
  case message(String)
  /// A message from poppler that reports an error, in a book with expectations.
  case error(String)
  /// The number of omitted messages from poppler.
  case more(Int)
  case pageCount(own: Int, poppler: Int)

  /// Returns whether a message from poppler reports an error.
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
