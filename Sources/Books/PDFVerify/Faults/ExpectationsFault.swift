/// Expectations that should be in the document but are missing or unusable.
enum ExpectationsFault: FaultKind {
  case damaged
  case unknownVersion
  case changed
  case notFound(areRequired: Bool)
  /// The document names imghost as its producer but has no expectations.
  case lost

  /// The verdict on a document that has no faults and no expectations.
  static let unsealedText = "no expectations found; checked structure, fonts and rendering only"

  var severity: Severity {
    switch self {
    case .notFound(let areRequired): areRequired ? .error : .note
    default: .error
    }
  }

  var text: String {
    switch self {
    case .damaged: "the expectations that imghost wrote into the file are missing or damaged"
    case .unknownVersion: "the expectations in the file have a version that is unknown here"
    case .changed: "the expectations that imghost wrote into the file were changed"
    case .notFound(areRequired: false): Self.unsealedText
    case .notFound(areRequired: true):
      "no expectations found: nothing in the file says what its pages should show, which 'sealed' requires"
    case .lost:
      "the file names imghost as its producer, but its expectations are missing: another program rewrote it"
    }
  }
}
