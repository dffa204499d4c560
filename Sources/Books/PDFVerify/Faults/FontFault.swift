/// A fault of a font. Its string is the font's name in the page's resources, or in the font itself.
enum FontFault: FaultKind {
  case missing(String)
  case notAFont(String)
  case standard(String)
  case notEmbedded(String)
  case notEmbeddedInArchive(String, part: Int)
  case damaged(String, String)
  case notSearchable(String)
  case changed(String)
  case added(String)
  case lost(String)

  var severity: Severity {
    switch self {
    case .standard: .note
    case .notSearchable: .warning
    default: .error
    }
  }

  var text: String {
    switch self {
    case .missing(let name):
      "the page sets text in font '\(name)', which its resources do not have"
    case .notAFont(let name): "the page's font '\(name)' is not a font"
    case .standard(let name):
      "the font \(name) is not embedded; readers use their own, or a similar one"
    case .notEmbedded(let name): "the font \(name) is not embedded; readers may show another"
    case .notEmbeddedInArchive(let name, let part):
      "the font \(name) is not embedded, which PDF/A-\(part) requires"
    case .damaged(let name, let reason): "the font \(name) cannot be used: \(reason)"
    case .notSearchable(let name):
      "text in the font \(name) cannot be searched: the font has no map from glyphs to characters (ToUnicode)"
    case .changed(let name): "the font \(name) is not as it was written"
    case .added(let name): "the book was written without the font \(name)"
    case .lost(let name): "the font \(name), which the book was written with, is no longer used"
    }
  }
}
