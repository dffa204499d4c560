import ImageCore

/// Looks at the pictures of one book as they will be stored, before any of them is decoded.
struct PictureChecks {
  private let check: ((StoredPicture) -> StoredPictureProblem?)?
  /// Of which only the pixels tell.
  private var doubtful = (count: 0, first: "", text: "")

  /// - Parameter check: nil where every picture will do.
  init(_ check: ((StoredPicture) -> StoredPictureProblem?)?) { self.check = check }

  /// Why a picture cannot be in the book; nil where it can, or may.
  mutating func problem(with page: PageOutput) -> String? {
    guard let check, let stored = page.stored, let problem = check(stored) else { return nil }
    switch problem {
    case .refused(let reason): return reason
    case .doubtful(let text):
      if doubtful.count == 0 { doubtful = (0, page.name, text) }
      doubtful.count += 1
      return nil
    }
  }

  /// One line for all pictures whose headers do not tell; nil where there are none.
  var doubt: String? {
    switch doubtful.count {
    case 0: nil
    case 1: "\(doubtful.first) \(doubtful.text)"
    default: "\(doubtful.first) and \(doubtful.count - 1) more: each \(doubtful.text)"
    }
  }
}

extension PageOutput {
  /// Nil where its picture cannot be read, which is told elsewhere.
  fileprivate var stored: StoredPicture? {
    if let file = copiesSource {
      return (try? file.wholeHeader()).map { .file(path: file.path, $0) }
    }
    guard let format = try? picture.info().layout.format else { return nil }
    let metadata = picture.metadata()
    return isLossless ? .lossless(format, metadata) : .encoded(format, metadata)
  }
}
