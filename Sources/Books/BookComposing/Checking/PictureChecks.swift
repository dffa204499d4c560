import ImageCore
import ImagePipeline
import PDFBook

/// Checks the pictures of one book in their stored form, before any of them is decoded.
struct PictureChecks {
  private let settings: DocumentSettings
  /// The number of pictures that cannot be checked before they are decoded, and the name of the first.
  private var doubtful = (count: 0, first: "")

  init(_ arguments: Arguments) { settings = DocumentSettings(arguments, creationTime: nil) }

  /// Returns why a picture cannot be in the book; nil if it can, or if that is unknown.
  ///
  /// - Parameter name: the picture's name in messages.
  mutating func problem(with picture: PreparedForBook, named name: @autoclosure () -> String) -> String? {
    guard settings.promises, let outline = PDFPicture(outlineOf: picture) else { return nil }
    if let problem = settings.problem(with: outline) { return problem }
    if settings.conformance?.isOpaque == true, picture.isLossless, picture.copiedFile == nil,
      (try? picture.picture.info())?.layout.format.hasAlpha ?? false
    {
      if doubtful.count == 0 { doubtful.first = name() }
      doubtful.count += 1
    }
    return nil
  }

  private var reason: String {
    "has an alpha channel; \(settings.conformance?.name ?? "") refuses opacity, and only a run tells whether there is any"
  }

  /// A note about the pictures whose headers are not sufficient to check them; nil if there are none.
  var doubt: String? {
    switch doubtful.count {
    case 0: nil
    case 1: "\(doubtful.first) \(reason)"
    default: "\(doubtful.first) and \(doubtful.count - 1) more: each \(reason)"
    }
  }
}

/// A picture of a book, and how it will be stored.
struct PreparedForBook {
  /// The picture, converted to CMYK and scaled or cropped for its cell if necessary.
  let picture: Picture
  /// Whether the picture is stored losslessly if it is encoded.
  let isLossless: Bool
  /// Whether the bytes of the picture's file are stored unchanged.
  let copiesSource: Bool

  /// The file whose bytes are stored unchanged; nil if the picture is encoded.
  var copiedFile: PictureFile? { copiesSource ? picture.origin : nil }
}
