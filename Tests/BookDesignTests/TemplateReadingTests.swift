import BookDesign
import LuaBindings
import XCTest

/// Files of templates: valid contents, and the messages about mistakes.
final class TemplateReadingTests: XCTestCase {
  private func problems(_ text: String) throws -> [String] {
    let value = try TemplateFile.value(of: Array(text.utf8)) { fatalError($0) }
    do {
      _ = try DesignStyle(value, file: "mine.lua", addingTo: try Samples.style("album"))
      return []
    } catch let error as TemplateProblems {
      return error.all.map(\.description)
    }
  }

  func testShippedStylesHaveAboutFortyTemplates() throws {
    let counts = try DesignStyle.names.map { try Samples.style($0).templates.count }
    XCTAssertGreaterThanOrEqual(counts.reduce(0, +), 40)
    for name in DesignStyle.names { XCTAssertFalse(try Samples.style(name).summary.isEmpty) }
  }

  private static let typeMistakes: [(String, String)] = [
    ("return { type = 9 }", "mine.lua: 'type' is a number; expected a table"),
    (
      "return { type = { captions = 9 } }",
      "mine.lua: 'type' has no field 'captions' (did you mean 'caption'?)"
    ),
    ("return { type = { title = 0 } }", "mine.lua: 'title' must be a number from 4 to 400"),
    ("return { baseline = \"12pt\" }", "mine.lua: 'baseline' must be a number from 2 to 200"),
  ]

  func testMistakes() throws {
    func template(_ rest: String) -> String { "return { templates = { { name = \"a\", \(rest) } } }" }
    let table: [(String, String)] = [
      ("return 3", "mine.lua: a file of templates is a number; expected a table"),
      ("return { tempates = {} }", "mine.lua: a file of templates has no field 'tempates' (did you mean 'templates'?)"),
      (
        template("slots = { { 0, 0, 1 } }"),
        "mine.lua: template 'a': slot 1 needs four numbers: { left, top, width, height }"
      ),
      (
        template("slots = { { 0, 0, 0.6, 1 }, { 0.5, 0, 0.5, 1 } }"),
        "mine.lua: template 'a': slot 2 overlaps slot 1"
      ),
      (
        template("slots = { { 0, 0, 0.6, 1 } }, text = { 0.5, 0, 0.5, 1 }"),
        "mine.lua: template 'a': 'text' overlaps slot 1"
      ),
      (
        template("slots = { { 0, 0, 0.6, 1 } }, text = { 0.6, 0, 0.4, 1 }, spread = true"),
        "mine.lua: template 'a': 'text' needs a page of its own; leave out spread = true"
      ),
      (
        template("slots = { { 0, 0, 0.6, 1 } }, text = \"x\""),
        "mine.lua: template 'a': 'text' is a text; expected a table"
      ),
      (
        template("slots = { { 0, 0, 1.2, 1 } }"),
        "mine.lua: template 'a': slot 1 reaches outside of the area, whose width and height are 1"
      ),
      (
        template("slots = { { 0, 0, 1, 1, wieght = 2 } }"),
        "mine.lua: template 'a': slot 1 has no field 'wieght' (did you mean 'weight'?)"
      ),
      (
        template("slots = { { 0, 0, 1, 1 } }, area = \"pages\""),
        "mine.lua: template 'a': 'area' is 'pages' (did you mean 'page'?); expected content, page"
      ),
      (
        template("slots = { { 0, 0, 1, 1, shape = { 2, 1 } } }"),
        "mine.lua: template 'a': 'shape' must be two numbers, the least and the largest width divided by height: "
          + "{ 0.7, 1.5 }"
      ),
    ]
    for (text, problem) in table + Self.typeMistakes { XCTAssertEqual(try problems(text), [problem], text) }
  }

  func testEachStyleHasATypeScale() throws {
    for name in DesignStyle.names {
      let type = try Samples.style(name).type
      XCTAssertGreaterThan(type.title, type.heading, name)
      XCTAssertGreaterThan(type.heading, type.text, name)
      XCTAssertGreaterThan(type.text, type.caption, name)
      XCTAssertGreaterThanOrEqual(type.baseline, type.caption * 1.2, name)
    }
  }

  func testTypeIsScaledByTheSquareRootOfThePage() {
    let (a4, a6) = (210 * 72 / 25.4, 105 * 72 / 25.4)
    XCTAssertEqual(TypeScale(caption: 9).scaled(toSide: a4).caption, 9, accuracy: 1e-9)
    XCTAssertEqual(TypeScale(text: 10).scaled(toSide: a6).text, 7.0711, accuracy: 1e-4)
    XCTAssertEqual(TypeScale(baseline: 12).scaled(toSide: 4 * a4).baseline, 24, accuracy: 1e-9)
  }

  func testAFileOfTemplatesSetsSizesOfType() throws {
    let text = "return { type = { caption = 7.5 }, baseline = 11 }"
    let base = try Samples.style("album")
    let value = try TemplateFile.value(of: Array(text.utf8)) { fatalError($0) }
    let style = try DesignStyle(value, file: "mine.lua", addingTo: base)
    XCTAssertEqual(style.type.caption, 7.5)
    XCTAssertEqual(style.type.baseline, 11)
    XCTAssertEqual(style.type.title, base.type.title)
  }

  func testAFileThatIsNotLuaTellsItsLine() {
    XCTAssertThrowsError(try TemplateFile.value(of: Array("return {\n  name = = 1\n}".utf8)) { fatalError($0) }) {
      error in
      XCTAssertEqual((error as? TemplateFileProblem)?.line, 2)
    }
  }

  func testATemplateOfTheSameNameReplacesTheStyles() throws {
    let text = "return { templates = { { name = \"framed\", slots = { { 0.3, 0.3, 0.4, 0.4 } } } } }"
    let value = try TemplateFile.value(of: Array(text.utf8)) { fatalError($0) }
    let base = try Samples.style("album")
    let style = try DesignStyle(value, file: "mine.lua", addingTo: base)
    XCTAssertEqual(style.templates.count, base.templates.count)
    XCTAssertEqual(style.templates.first { $0.name == "framed" }?.slots[0].rectangle.left, 0.3)
  }
}
