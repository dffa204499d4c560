import ImageCore

/// Looks at the pictures of one book as they will be stored, before any of them is decoded.
struct PictureChecks {
  private let check: ((StoredPicture) -> StoredPictureProblem?)?
  /// Of which only the pixels tell.
  private var doubtful = (count: 0, first: "", text: "")

  /// - Parameter check: nil where every picture will do.
  init(_ check: ((StoredPicture) -> StoredPictureProblem?)?) { self.check = check }

  /// Why a picture cannot be in the book; nil where it can, or may.
  ///
  /// - Parameter name: what messages call it.
  mutating func problem(with picture: PreparedForBook, named name: @autoclosure () -> String)
    -> String?
  {
    guard let check, let stored = picture.stored, let problem = check(stored) else { return nil }
    switch problem {
    case .refused(let reason): return reason
    case .doubtful(let text):
      if doubtful.count == 0 { doubtful = (0, name(), text) }
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

/// A picture of a book and how it will be stored.
struct PreparedForBook {
  /// As its cell wants it.
  let picture: Picture
  /// How it is stored where it is encoded.
  let isLossless: Bool
  /// Whether its file's own bytes are.
  let copiesSource: Bool

  /// The file whose bytes are stored as they are.
  var copiedFile: PictureFile? { copiesSource ? picture.origin : nil }

  /// Nil where its picture cannot be read, which is told elsewhere.
  fileprivate var stored: StoredPicture? {
    if let file = copiedFile {
      return (try? file.wholeHeader()).map { .file(path: file.path, $0) }
    }
    guard let format = try? picture.info().layout.format else { return nil }
    let metadata = picture.metadata()
    return isLossless ? .lossless(format, metadata) : .encoded(format, metadata)
  }
}
