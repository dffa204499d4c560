/// A document that claims PDF/A but does not conform to it (ISO 19005). A part is a number such as 2; a claim is a part
/// and its level, such as `2b`.
enum ArchiveFault: FaultKind {
  case intentMissing(Int)
  /// The output intent is missing in a book with expectations.
  case intentLost(Int)
  case identifierMissing(Int)
  case action(String, part: Int)
  case nonconforming(String, String)
  /// A book with expectations does not conform.
  case lost(String, String)

  var severity: Severity {
    switch self {
    case .intentMissing: .warning
    default: .error
    }
  }

  var text: String {
    switch self {
    case .intentMissing(let part), .intentLost(let part):
      "the document claims PDF/A-\(part) but has no output intent, which says what its colours mean"
    case .identifierMissing(let part):
      "the document claims PDF/A-\(part) but its trailer has no ID, which PDF/A requires"
    case .action(let kind, let part):
      "the page has an action of the kind \(kind), which PDF/A-\(part) forbids"
    case .nonconforming(let claim, let reason):
      "the document claims PDF/A-\(claim) but does not conform: \(reason)"
    case .lost(let claim, let reason):
      "the document no longer conforms to PDF/A-\(claim): \(reason)"
    }
  }
}

/// A document that claims PDF/X but does not conform to it (ISO 15930). A claim is the value of GTS_PDFXVersion.
enum PrintFault: FaultKind {
  /// The claim, the reason why the document does not conform, and the part of the standard.
  case nonconforming(String, String, part: String)

  var text: String {
    switch self {
    case .nonconforming(let claim, let reason, let part):
      "the document claims \(claim) but does not conform: \(reason) (\(part))"
    }
  }
}
