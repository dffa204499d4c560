/// What a book says about itself: the Info dictionary (PDF 32000-1:2008, 14.3.3).
public struct DocumentInfo: Sendable, Hashable {
  public var title: String
  public var author: String
  public var subject: String
  public var keywords: String
  /// Seconds since 1970, from `SOURCE_DATE_EPOCH`; nil for no date, so that the same pictures give
  /// the same bytes.
  public var creationTime: Int?

  public init(
    title: String = "", author: String = "", subject: String = "", keywords: String = "",
    creationTime: Int? = nil
  ) {
    self.title = title
    self.author = author
    self.subject = subject
    self.keywords = keywords
    self.creationTime = creationTime
  }

  /// The dictionary's text.
  var dictionary: String {
    var text = "<<"
    for (key, value) in [
      ("Title", title), ("Author", author), ("Subject", subject), ("Keywords", keywords),
    ] where !value.isEmpty {
      text += "/\(key)\(PDFString.text(value))"
    }
    text += "/Producer(imghost)"
    if let creationTime { text += "/CreationDate\(PDFString.date(creationTime))" }
    return text + ">>"
  }
}
