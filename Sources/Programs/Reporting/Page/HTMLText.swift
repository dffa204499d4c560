import ImageCore
import ImagePipeline

/// Texts of files, scripts and plugins in a page: none of them can become markup, move other text or grow without end.
enum HTMLText {
  /// The most characters of one text.
  private static let longest = 2_000

  /// Returns a text as it is written between two tags.
  static func content(_ text: String, keepingLines: Bool = false) -> String {
    XMLText.content(printable(shortened(text), keepingLines: keepingLines))
  }

  /// Returns a text as it is written between double quotes.
  static func attribute(_ text: String) -> String { XMLText.attribute(printable(shortened(text))) }

  /// Returns a name from outside in an element of its own, so that its writing direction ends with it.
  static func name(_ text: String) -> String { "<bdi>\(content(text))</bdi>" }

  /// Returns a path that may be broken behind its slashes.
  static func path(_ path: String) -> String { "<bdi>\(content(path).replacing("/", with: "/<wbr>"))</bdi>" }

  private static func shortened(_ text: String) -> String {
    // Bytes are counted at once, characters are not.
    guard text.utf8.count > longest, text.count > longest else { return text }
    return text.prefix(longest) + "…"
  }
}
