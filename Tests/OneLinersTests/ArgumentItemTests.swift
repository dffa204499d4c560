import Testing

@testable import OneLiners

/// Arguments as they are typed on the command line.
struct ArgumentItemTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let text: String
    var splits = false
    let items: [ArgumentItem]
    var testDescription: String { text }
  }

  private static func item(_ name: String?, _ value: ArgumentItem.Word) -> ArgumentItem {
    ArgumentItem(name: name, value: value)
  }
  private static func plain(_ text: String, _ name: String? = nil) -> ArgumentItem { item(name, .plain(text)) }

  static let rows: [Row] = [
    Row(text: "0.4", items: [plain("0.4")]),
    Row(text: "800,600", splits: true, items: [plain("800"), plain("600")]),
    Row(text: "800,600", items: [plain("800,600")]),
    Row(text: "800,600,fit=inside", splits: true, items: [plain("800"), plain("600"), plain("inside", "fit")]),
    Row(text: "over=logo.png,gravity=south", items: [plain("logo.png", "over"), plain("south", "gravity")]),
    Row(text: "over=a,b.png,left=3", items: [plain("a,b.png", "over"), plain("3", "left")]),
    Row(text: "over=\"a,left=1.png\",left=3", items: [item("over", .quoted("a,left=1.png")), plain("3", "left")]),
    Row(text: "\"say \\\"hi\\\" \\\\ \\n\"", items: [item(nil, .quoted("say \"hi\" \\ \\n"))]),
    Row(text: "Hello, world", items: [plain("Hello, world")]),
    Row(text: "a=b=c", items: [plain("b=c", "a")]),
    Row(text: "line-art=true", items: [plain("true", "line_art")]),
    Row(text: "/x=y.png", items: [plain("/x=y.png")]),
    Row(text: "1=2", items: [plain("1=2")]),
    Row(text: "{1,2, 3}", items: [item(nil, .list([plain("1"), plain("2"), plain("3")]))]),
    Row(text: "{}", items: [item(nil, .list([]))]),
    Row(
      text: "{{1,2},{3,4}},5", splits: true,
      items: [
        item(nil, .list([item(nil, .list([plain("1"), plain("2")])), item(nil, .list([plain("3"), plain("4")]))])),
        plain("5"),
      ]),
    Row(
      text: "keep={date,\"a}b\"},x=1",
      items: [item("keep", .list([plain("date"), item(nil, .quoted("a}b"))])), plain("1", "x")]),
    Row(
      text: "fields={a=1,b={2}}",
      items: [
        item("fields", .list([plain("1", "a"), item("b", .list([plain("2")]))]))
      ]),
    Row(text: "é=1,ü", items: [plain("é=1,ü")]),
  ]

  @Test(arguments: rows)
  func isRead(_ row: Row) throws {
    #expect(try ArgumentItem.items(row.text, splits: row.splits) == row.items)
  }

  static let mistakes: [(String, ArgumentItem.Mistake)] = [
    ("", .empty), ("a=", .empty), ("1,,2", .empty), ("{1,}", .empty), ("\"a", .unclosed("\"")), ("{1", .unclosed("{")),
    ("{{1}", .unclosed("{")), ("\"a\"b", .trailing("b")), ("{1}2", .trailing("2")),
  ]

  @Test(arguments: mistakes)
  func isRefused(_ text: String, _ mistake: ArgumentItem.Mistake) {
    #expect(throws: mistake) { try ArgumentItem.items(text, splits: true) }
  }

  /// Braces are fields in a text.
  @Test func bracesOfTexts() throws {
    let items = try ArgumentItem.items("{stem}, by {exif.Artist|me},size=9", splits: false) { name, _ in name == nil }
    #expect(items == [Self.plain("{stem}, by {exif.Artist|me}"), Self.plain("9", "size")])
  }
}
