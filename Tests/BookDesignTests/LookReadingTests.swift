import BookDesign
import ImageCore
import LuaBindings
import XCTest

/// The look of pages as the file of a style declares it.
final class LookReadingTests: XCTestCase {
  private func style(_ text: String) throws -> DesignStyle {
    let value = try TemplateFile.value(of: Array(text.utf8)) { fatalError($0) }
    return try DesignStyle(value, file: "mine.lua", addingTo: try Samples.style("album"))
  }

  func testALookIsRead() throws {
    let look = try style(
      """
      return { look = { corners = 0.02, border = 0.01, border_colour = "white", shadow = { 0.01, 0.02 },
        background = "pictures" } }
      """
    ).look
    XCTAssertEqual(look.corners, 0.02)
    XCTAssertEqual(look.border, 0.01)
    XCTAssertEqual(look.borderColour, .white)
    XCTAssertEqual(look.shadow, [0.01, 0.02])
    XCTAssertEqual(look.background, .pictures)
    XCTAssertEqual(try style("return { look = { background = \"#ffffff\" } }").look.background, .colour(.white))
  }

  func testMistakes() throws {
    for (look, message) in [
      ("corners = 2", "'corners' must be a number from 0 to 0.5"),
      ("corner = 0.1", "'look' has no field 'corner' (did you mean 'corners'?)"),
      ("border = \"1mm\"", "'border' must be a number from 0 to 0.1"),
      ("border_colour = \"reddish\"", "'border_colour' is 'reddish'; expected a colour such as '#f4f1ea'"),
      ("background = true", "'background' is a boolean; expected a colour such as '#f4f1ea', or 'pictures'"),
      (
        "shadow = { 0.01 }",
        "'shadow' must be two numbers from 0 to 0.1: how far it falls below the picture, and its blur"
      ),
    ] {
      XCTAssertThrowsError(try style("return { look = { \(look) } }")) { error in
        XCTAssertEqual((error as? TemplateProblems)?.all.map(\.description), ["mine.lua: \(message)"], look)
      }
    }
  }
}
