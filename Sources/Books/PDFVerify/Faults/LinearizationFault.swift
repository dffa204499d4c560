/// A linearised file whose linearisation dictionary is wrong (PDF 32000-1:2008, Annex F).
enum LinearizationFault: FaultKind {
  case wrong(String)
  /// The number of bytes that were appended to the file.
  case lost(Int)

  var severity: Severity {
    switch self {
    case .lost: .warning
    default: .error
    }
  }

  var text: String {
    switch self {
    case .wrong(let what): "the linearisation dictionary \(what)"
    case .lost(let count):
      "the file is no longer linearised: \(FaultText.count(count, "byte")) "
        + "\(count == 1 ? "was" : "were") added to it"
    }
  }
}
