/// A fault of the file as a whole, such as a missing end.
enum FileFault: FaultKind {
  case unreadable(String)
  case empty
  case notAPDF
  case truncated
  /// Bytes after the end of the PDF.
  case trailing(Int)
  /// Bytes after the end of a book with expectations.
  case added(Int)
  /// A check that failed for another reason, given as a whole sentence.
  case failure(String)

  /// The number of bytes at the end of a file that readers search for the end of the PDF (PDF 32000-1:2008, Annex H.3,
  /// note 18).
  static let toleratedTrailing = 1_024

  var severity: Severity {
    switch self {
    case .trailing(let count): count > Self.toleratedTrailing ? .error : .warning
    default: .error
    }
  }

  var text: String {
    switch self {
    case .unreadable(let reason): "the file cannot be read: \(reason)"
    case .empty: "the file is empty"
    case .notAPDF: "the file is not a PDF; it does not begin with %PDF-"
    case .truncated: "the file is truncated; its end is missing"
    case .trailing(let count):
      "\(FaultText.count(count, "byte")) follow\(count == 1 ? "s" : "") the end of the PDF (%%EOF)"
        + (count > Self.toleratedTrailing ? "; readers accept at most 1,024: cut them off" : "")
    case .added(let count):
      "\(FaultText.count(count, "byte")) follow\(count == 1 ? "s" : "") the end of the PDF (%%EOF), which imghost did not "
        + "write"
    case .failure(let reason): reason
    }
  }
}
