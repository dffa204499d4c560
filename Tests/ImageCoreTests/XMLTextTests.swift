import ImageCore
import Testing

@Suite("XML text")
struct XMLTextTests {
  @Test(
    "characters with a meaning are escaped, and impossible ones replaced",
    arguments: [
      ("plain ü 写", "plain ü 写", "plain ü 写"),
      ("a < b > c & d", "a &lt; b &gt; c &amp; d", "a &lt; b &gt; c &amp; d"),
      ("\"it's\"", "\"it's\"", "&quot;it's&quot;"),
      ("a\tb\nc\rd", "a\tb\nc&#13;d", "a&#9;b&#10;c&#13;d"),
      ("a\r\nb", "a&#13;\nb", "a&#13;&#10;b"),
      (
        "\0\u{1b}\u{fffe}\u{ffff}", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
      ),
      ("\u{7f}\u{9b}\u{10ffff}", "\u{7f}\u{9b}\u{10ffff}", "\u{7f}\u{9b}\u{10ffff}"),
    ])
  func escapes(text: String, content: String, attribute: String) {
    #expect(XMLText.content(text) == content)
    #expect(XMLText.attribute(text) == attribute)
  }
}
