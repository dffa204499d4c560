import ImageCore
import PDFTestSupport
import Testing

@testable import PDFBook
@testable import TextShaping

/// The text along the spine of a cover.
@Suite(.enabled(if: TextLayouter.problem == nil)) struct SpineTextTests {
  /// A cover of A6 with a spine of some millimetres.
  private func layout(_ spine: Double, kind: LayoutKind = .cover) -> BookLayout {
    var layout = BookLayout()
    layout.options.kind = kind
    layout.setup.paper = PageSize(width: 300, height: 420)
    layout.options.binding.coverThickness = spine * 72 / 25.4 / 2
    return layout
  }

  private func spine(_ text: String, _ options: [(String, ParameterValue)] = []) throws -> SpineText {
    let named = [("spine_text", ParameterValue.text(text))] + options
    let arguments = try Arguments(
      RawArguments(named: named.map { (name: $0.0, value: $0.1) }),
      parameters: TextParameters.all, positionalCount: 0)
    return try #require(SpineText(arguments))
  }

  static let shapes: [(text: String, size: Double, millimetres: Double)] = [
    ("Short", 14, 20), ("Short", 14, 5),
    ("A title that is longer than the spine of this book", 18, 20),
    (String(repeating: "Much too long ", count: 40), 14, 12),
  ]

  /// The text is centred and inside the margins in both directions.
  @Test(arguments: shapes, ["down", "up"])
  func staysInside(shape: (text: String, size: Double, millimetres: Double), runs: String) throws {
    let layout = layout(shape.millimetres)
    var notes: [TextNote] = []
    let placed = try layout.placed(
      spine(shape.text, [("spine_text_size", .number(shape.size)), ("spine_text_runs", .text(runs))]),
      with: TextLayouter(), notes: &notes)
    #expect(placed.turn.rawValue == runs)
    let box = placed.coverage
    let (thickness, edge) = (layout.options.binding.spine, 72 / 25.4)
    #expect(box.left >= 300 + edge - 0.01 && box.right <= 300 + thickness - edge + 0.01, "\(box)")
    #expect(box.bottom >= 5 * edge - 0.01 && box.top <= 420 - 5 * edge + 0.01, "\(box)")
    #expect(abs(box.centre - 300 - thickness / 2) < 0.01)
    #expect(abs((box.bottom + box.top) / 2 - 210) < 0.6, "\(box)")
    #expect(placed.block.lines.count == 1)
    #expect(placed.block.size <= shape.size && placed.block.size >= 4)
    #expect(placed.block.isShortened == (shape.text.count > 100))
    #expect(notes.count == (shape.text.count > 100 ? 1 : 0), "\(notes)")
  }

  /// The first letter is where the line begins, and the next one after it.
  @Test(arguments: [("down", "0 -1 1 0 "), ("up", "0 1 -1 0 ")])
  func turnsTheAxes(runs: String, matrix: String) throws {
    var notes: [TextNote] = []
    let placed = try layout(10).placed(
      spine("Abc", [("spine_text_runs", .text(runs))]), with: TextLayouter(), notes: &notes)
    var fonts = FontTable()
    let content = placed.content(unit: 2, fonts: &fonts) { 1 }
    let corner = PDFNumber.text([placed.left / 2, placed.top / 2])
    #expect(content.hasPrefix("q \(matrix)\(corner) cm 0 g BT\n"), "\(content)")
    let (box, moved) = (placed.coverage, placed.moved(3, 4).coverage)
    #expect(abs(moved.left - box.left - 3) < 0.001 && abs(moved.bottom - box.bottom - 4) < 0.001)
  }

  /// Text without a colour of its own is readable on what is behind it.
  @Test func theColourFollowsTheGround() throws {
    let (dark, light) = (Colour(red: 0.1, green: 0.1, blue: 0.1), Colour(red: 0.9, green: 0.9, blue: 0.9))
    var layout = layout(20)
    #expect(try spine("Text").colour(on: layout) == .black)
    layout.setup.background = dark
    #expect(try spine("Text").colour(on: layout) == .white)
    #expect(try spine("Text", [("spine_text_background", .colour(light))]).colour(on: layout) == .black)
    #expect(try spine("Text", [("spine_text_colour", .colour(dark))]).colour(on: layout) == dark)
    layout.setup.background = light
    #expect(try spine("Text").colour(on: layout) == .black)
  }

  @Test func severalLinesAreOne() throws {
    #expect(try spine("A summer\nAnn Lee").text == "A summer Ann Lee")
  }

  @Test(arguments: [(5.0, nil), (4.99, "it needs a spine of 5 mm or more"), (0, "and this one has 0 mm")])
  func whereItCannotBe(millimetres: Double, reason: String?) {
    let shortage = SpineText.shortage(on: layout(millimetres, kind: .cover))
    if let reason {
      #expect(shortage?.contains(reason) == true, "\(shortage ?? "nothing")")
    } else {
      #expect(shortage == nil)
    }
  }
}
