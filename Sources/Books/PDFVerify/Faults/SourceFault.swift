/// A fault of the folder of sources, or a picture that was not made from its files. Pictures are identified by their
/// numbers on the page.
enum SourceFault: FaultKind {
  case unknown(Int, folder: String)
  /// The picture is not one of the folder's files, and the document does not record sources.
  case unnoted(Int, folder: String)
  /// Some of the files from which the picture was made are missing.
  case missing(Int, Int, of: Int, folder: String)
  case drawn(Int)
  case partlyDrawn(Int)
  /// A file or folder that could not be read.
  case unread(String, folder: String, reason: String)
  case moreUnread(Int, folder: String)
  case noFiles(folder: String)

  var severity: Severity {
    switch self {
    case .drawn, .unread, .moreUnread, .noFiles: .warning
    case .partlyDrawn: .note
    default: .error
    }
  }

  var text: String {
    switch self {
    case .unknown(let number, let folder): "picture \(number) is not made from a file in \(folder)"
    case .unnoted(let number, let folder):
      "picture \(number) is not one of the files in \(folder), and the book does not say what its "
        + "pictures were made from"
    case .missing(let number, let count, let all, let folder):
      "picture \(number) was made from \(all) files, \(count) of which \(count == 1 ? "is" : "are") "
        + "not in \(folder)"
    case .drawn(let number):
      "picture \(number) was drawn by the script, not made from a file, so no folder can prove it"
    case .partlyDrawn(let number):
      "picture \(number) is partly drawn by the script; its files are there, but cannot prove that part"
    case .unread(let name, let folder, let reason):
      "'\(name)' in \(folder) cannot be read, and may be where a picture comes from: \(reason)"
    case .moreUnread(let count, let folder):
      "\(FaultText.count(count, "more file")) in \(folder) cannot be read"
    case .noFiles(let folder): "\(folder) contains no files that a picture could come from"
    }
  }
}
