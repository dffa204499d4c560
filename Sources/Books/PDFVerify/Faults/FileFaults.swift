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

  /// The size in bytes of the part at the end of a file that readers search for the PDF's end marker (Adobe PDF
  /// Reference 1.7, Appendix H.3, note 18).
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

/// An encrypted file, and how far it could be checked.
enum EncryptionFault: FaultKind {
  case encrypted
  /// The file was decrypted by qpdf.
  case decrypted
  /// The file needs a password, and none was given.
  case locked
  case wrongPassword
  /// A password was given, but qpdf, which would use it, is not installed.
  case lockedWithoutProgram
  /// A message from qpdf about decryption.
  case qpdf(String)

  var severity: Severity {
    switch self {
    case .encrypted: .warning
    case .decrypted: .note
    default: .error
    }
  }

  var text: String {
    switch self {
    case .encrypted:
      "the file is encrypted; its pages were only rendered, because qpdf is not on the PATH"
    case .decrypted: "the file is encrypted; the copy that qpdf decrypted was checked"
    case .locked:
      "the file needs a password; nothing was checked: give it with --password-file, " + "or as 'password' in a script"
    case .wrongPassword: "the password does not open the file; nothing was checked"
    case .lockedWithoutProgram:
      "the file needs a password, and only qpdf can use it, which is not on the PATH"
    case .qpdf(let message): "qpdf says while decrypting: \(message)"
    }
  }
}

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
