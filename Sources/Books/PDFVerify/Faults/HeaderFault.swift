/// A wrong PDF version in the file.
enum HeaderFault: FaultKind {
  case unknown(String)
  case unknownInCatalogue(String)
  case tooOld(String)
  case changed(String, meant: String)
  case lowered(String, meant: String)

  var severity: Severity {
    switch self {
    case .lowered: .warning
    default: .error
    }
  }

  var text: String {
    switch self {
    case .unknown(let version):
      "the header states the version \(FaultText.quoted(version)), which PDF does not have " + "(1.0 to 1.7, 2.0)"
    case .unknownInCatalogue(let version):
      "the catalogue states the version \(FaultText.quoted(version)), which PDF does not have " + "(1.0 to 1.7, 2.0)"
    case .tooOld(let version):
      "the file states PDF \(version) and has a cross-reference stream, which came with PDF 1.5"
    case .changed(let version, let meant):
      "the file states PDF \(version); it was written as PDF \(meant)"
    case .lowered(let version, let meant):
      "the file states PDF \(version) and was written as PDF \(meant); readers ignore that"
    }
  }
}
