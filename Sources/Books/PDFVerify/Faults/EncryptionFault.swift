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
