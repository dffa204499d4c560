import TestSupport
import Testing

@testable import ImageCore

@Suite struct XMLReaderTests {
  /// Texts, and their elements as `outline` prints them.
  static let read: [(String, String)] = [
    ("<a/>", "a"),
    ("\u{feff}<?xpacket begin=''?>\n<!-- <b> --><a />  <?xpacket end='w'?>", "a"),
    ("<a>x<b/>y<b>z</b></a>", "a'xy'(b,b'z')"),
    ("<a b='1' c=\"2\"/>", "a[b=1,c=2]"),
    ("<p:a xmlns:p='u:'><p:b p:c='1' d='2'/></p:a>", "u:a(u:b[u:c=1,d=2])"),
    ("<a p:c='1' xmlns:p='u:' xmlns='v:'><b/></a>", "v:a[u:c=1](v:b)"),
    ("<a xmlns='v:'><b xmlns='w:'/><c/></a>", "v:a(w:b,v:c)"),
    ("<p:a/>", "?a"),
    ("<a xml:lang='de'/>", "a[http://www.w3.org/XML/1998/namespacelang=de]"),
    ("<a>1 &lt; 2 &amp;&#65;&#x42;&quot;&apos;&gt;</a>", "a'1 < 2 &AB\"'>'"),
    ("<a><![CDATA[<b>&]]>c</a>", "a'<b>&c'"),
    ("<a>1\r\n2\r3</a>", "a'1\n2\n3'"),
    ("<a b='>'></a >", "a[b=>]"),
  ]

  @Test(arguments: read) func readsElements(text: String, outline: String) throws {
    var reader = XMLReader(Array(text.utf8))
    #expect(Self.outline(try reader.root()) == outline)
    var checker = XMLReader(Array(text.utf8), keepsContent: false)
    try checker.readAll()
  }

  static let faults: [(String, String)] = [
    ("", "it has no element"), (" \n", "it has no element"), ("x<a/>", "text outside the root element, at byte 0"),
    ("<a/>x", "text outside the root element, at byte 4"), ("<a>", "element 'a' is never closed"),
    ("<a><b></a>", "'b' is closed as 'a'"), ("</a>", "'a' ends but never began"),
    ("<a></a", "the end tag of 'a' has no end"), ("<", "invalid '<', at byte 0"),
    ("<a><1/></a>", "invalid '<', at byte 3"), ("<a", "element 'a': its tag has no end"),
    ("<a b>", "element 'a': attribute 'b' has no value"),
    ("<a b=c/>", "element 'a': the value of attribute 'b' is not quoted"),
    ("<a b='<'/>", "element 'a': the value of attribute 'b' has a '<'"),
    ("<a b='1", "element 'a': a value has no end"), ("<a b='1' b='2'/>", "element 'a': duplicate attribute 'b'"),
    ("<a>&</a>", "an '&' begins no reference, at byte 3"), ("<a>&#0;</a>", "the reference '&#0;' is no character"),
    ("<a>&#+65;</a>", "the reference '&#+65;' is no character"),
    ("<a>&#x+41;</a>", "the reference '&#x+41;' is no character"),
    ("<a>\u{1}</a>", "it has the control character 1, at byte 3"), ("<!-- <a/>", "a comment has no end"),
    ("<?x", "a processing instruction has no end"), ("<a><![CDATA[", "a CDATA section has no end"),
    ("<a:b:c/>", "'a:b:c' is no name"), ("<!DOCTYPE a><a/>", "document type"), ("<![CDATA[x]]>", "document type"),
    ("<a>&b;</a>", "entity b"), (String(repeating: "<a>", count: 65), "deep"),
    ("<a " + (0..<2_000).map { "b\($0)=''" }.joined(separator: " ") + "/>", "many"),
    ("<a " + (0..<300).map { "xmlns:b\($0)=''" }.joined(separator: " ") + "/>", "many"),
  ]

  @Test(arguments: faults) func namesFaults(text: String, fault: String) {
    for keepsContent in [true, false] {
      var reader = XMLReader(Array(text.utf8), keepsContent: keepsContent)
      do throws(XMLFault) {
        try reader.readAll()
        Issue.record("accepted")
      } catch { #expect(Self.text(error) == fault) }
    }
  }

  @Test func countIsLimitedAndRepeatsMayBeAccepted() throws {
    var reader = XMLReader(Array("<a b=''><c/></a>".utf8), maximumCount: 3)
    _ = try reader.root()
    reader = XMLReader(Array("<a b=''><c/></a>".utf8), maximumCount: 2)
    #expect(throws: XMLFault.self) { _ = try reader.root() }
    reader = XMLReader(Array("<a b='1' b='2'/>".utf8), acceptsRepeats: true)
    #expect(try reader.root().attributes.map(\.value) == ["1", "2"])
  }

  @Test func anyBytesEndInAResultOrAFault() {
    var random = SplitMix(7)
    let pieces = [
      "<a", "<b>", "</a>", "</b>", "/>", ">", " c='", "'", "&amp;", "&", ";", "<!--", "-->", "<![CDATA[", "]]>",
    ]
    for _ in 0..<20_000 {
      let text = (0..<random.next() % 12).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
      var reader = XMLReader(Array(text.utf8))
      var checker = XMLReader(Array(text.utf8), keepsContent: false)
      let (isRead, isChecked) = ((try? reader.readAll()) != nil, (try? checker.readAll()) != nil)
      #expect(isRead == isChecked, "\(text)")
    }
  }

  private static func text(_ fault: XMLFault) -> String {
    switch fault {
    case .documentType: "document type"
    case .entity(let name): "entity \(name)"
    case .tooDeep: "deep"
    case .tooMany: "many"
    case .malformed(let problem, _): problem
    }
  }

  private static func outline(_ element: XMLElement) -> String {
    func full(_ name: XMLName) -> String { (name.space ?? "?") + name.local }
    let attributes = element.attributes.map { "\(full($0.name))=\($0.value)" }.joined(separator: ",")
    let children = element.children.map(outline).joined(separator: ",")
    return full(element.name) + (attributes.isEmpty ? "" : "[\(attributes)]")
      + (element.text.isEmpty ? "" : "'\(element.text)'") + (children.isEmpty ? "" : "(\(children))")
  }
}
