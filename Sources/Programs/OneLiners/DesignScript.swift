import BookComposing
import ImageCore
import ImagePipeline
import PictureTraits

/// A script that declares each page of designed books.
package struct DesignScript {
  private static let beginning = "-- The pages of designed books, written by 'imghost run --design'."
  /// The first words of all such scripts, including those of earlier versions.
  package static let beginnings = [beginning, "-- The pages of designed books, written by 'imghost run --plan'."]

  package let text: String

  /// - Parameters:
  ///   - methods: the operations that are methods of pictures.
  ///   - isSource: returns whether a plugin generates pictures without an input.
  ///   - locale: the locale that the script has set for dates; nil if it has set none.
  ///   - folder: the folder of the run, which relative paths of templates refer to.
  package init(
    _ books: [DesignRecord], methods: Set<String>, isSource: @escaping (String) -> Bool, locale: String?,
    folder: String
  ) throws(PictureCode.Problem) {
    var pictures = PictureCode(methods: methods, isSource: isSource)
    var code: [String] = []
    var covers: [String] = []
    for book in books {
      if let problem = book.problem { throw PictureCode.Problem(description: problem) }
      let number = code.count + 1
      code.append((book.covers.isEmpty ? "" : "local book\(number) = ") + (try Self.code(book, &pictures, folder)))
      for cover in book.covers { covers.append(try Self.code(cover, of: "book\(number)", &pictures)) }
    }
    let language = locale.map { "img.locale(\(LuaLiteral.quoted($0)))\n" } ?? ""
    text = """
      \(Self.beginning)
      -- This script makes the same books. Rectangles and crops are shares of a page and of a picture:
      -- left, top, width, height.
      local img = require "imghost"
      \(language)
      local p = {}
      \(pictures.lines.joined(separator: "\n"))

      \((code + covers).joined(separator: "\n\n"))

      """
  }

  private static func code(_ book: DesignRecord, _ pictures: inout PictureCode, _ folder: String)
    throws(PictureCode.Problem) -> String
  {
    var lines: [String] = ["img.book(\(LuaLiteral.quoted(book.path)), {"]
    for section in book.sections {
      let indent = section.name == nil ? "  " : "    "
      if let name = section.name { lines.append("  { name = \(LuaLiteral.quoted(name)), pictures = {") }
      for part in section.parts {
        switch part {
        case .page(let page):
          lines.append("\(indent)-- \(comment(page.comment))")
          lines.append(try declaration(page, book, &pictures, indent))
        case .leftOut(let index, let reason):
          let name = try pictures.name(book.pictures[index])
          lines.append("\(indent)img.hint(\(name), { skip = true }), -- \(comment(reason))")
        }
      }
      if section.name != nil { lines.append("  } },") }
    }
    lines.append("}, {")
    for (name, value) in book.options.named {
      switch (name, value) {
      // All pages are declared, so the number of pages is not needed.
      case ("pages", _): lines.append("  -- pages = \(try PictureCode.literal(value)),")
      case ("colophon", .text("")): lines.append("  colophon = true,")
      case ("after", _): lines.append("  -- after = jobs of the other script,")
      case ("templates", .text(let path)):
        let whole = PathName.isAbsolute(path) ? path : folder + "/" + path
        lines.append("  templates = \(LuaLiteral.quoted(whole)),")
      default: lines.append("  \(LuaLiteral.field(name, .word(try PictureCode.literal(value)))),")
      }
    }
    lines.append("})")
    return lines.joined(separator: "\n")
  }

  private static func code(_ cover: DesignRecord.Cover, of book: String, _ pictures: inout PictureCode)
    throws(PictureCode.Problem) -> String
  {
    var names: [String] = []
    for picture in cover.pictures { names.append(try pictures.name(picture)) }
    var lines = [
      "img.book(\(LuaLiteral.quoted(cover.path)), { \(names.joined(separator: ", ")) }, {", "  cover_of = \(book),",
    ]
    for (name, value) in cover.options.named where name != "cover_of" && name != "after" {
      lines.append("  \(LuaLiteral.field(name, .word(try PictureCode.literal(value)))),")
    }
    lines.append("})")
    return lines.joined(separator: "\n")
  }

  private static func declaration(
    _ page: DesignRecord.Page, _ book: DesignRecord, _ pictures: inout PictureCode, _ indent: String
  ) throws(PictureCode.Problem) -> String {
    var fields: [String] = []
    let declared = page.page
    if !declared.title.isEmpty { fields.append(LuaLiteral.field("title", .text(declared.title))) }
    if !declared.text.isEmpty { fields.append(LuaLiteral.field("text", .text(declared.text))) }
    if let background = declared.background {
      fields.append("background = \(try PictureCode.literal(.colour(background)))")
    }
    if let area = declared.textArea { fields.append("text_area = { \(numbers(area)) }") }
    if declared.isSpread { fields.append("spread = true") }
    for picture in page.pictures { fields.append(try pictures.name(book.pictures[picture])) }
    guard !declared.slots.isEmpty else { return "\(indent)img.page{ \(fields.joined(separator: ", ")) }," }
    let slots = declared.slots.map { slot in
      var parts = numbers(slot.area)
      if let crop = slot.crop { parts += ", crop = { \(numbers(crop)) }" }
      if let text = slot.text { parts += ", text = { \(numbers(text)) }" }
      if let caption = slot.caption { parts += ", caption = \(LuaLiteral.quoted(caption))" }
      return "\(indent)  { \(parts) },\n"
    }
    return "\(indent)img.page{ \(fields.joined(separator: ", ")), slots = {\n\(slots.joined())\(indent)} },"
  }

  private static func numbers(_ part: UnitRectangle) -> String {
    [part.left, part.top, part.width, part.height].map { value in
      value == value.rounded() ? String(Int(value)) : "\(value)"
    }.joined(separator: ", ")
  }

  private static func comment(_ text: String) -> String { printable(text).replacing("\n", with: " ") }
}
