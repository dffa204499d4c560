/// A document that claims PDF/X but does not conform to it (ISO 15930). A claim is the value of GTS_PDFXVersion.
enum PrintFault: FaultKind {
  /// The claim, the violated clause, and the part of the standard.
  case nonconforming(String, String, part: String)

  var text: String {
    switch self {
    case .nonconforming(let claim, let reason, let part):
      "the document claims \(claim) but does not conform: \(reason) (\(part))"
    }
  }
}
