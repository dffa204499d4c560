import ImageCore
import Testing

@Suite struct SuggestionTests {
  private static let names = ["width", "height", "fit", "position", "kernel", "user-initiated"]

  @Test(arguments: [
    ("widht", "width"), ("Width", "width"), ("heigth", "height"), ("hight", "height"),
    ("fti", "fit"), ("positon", "position"), ("kernal", "kernel"), ("pos", "position"),
    ("user", "user-initiated"), ("widths", "width"),
  ])
  func finds(_ written: String, _ meant: String) {
    #expect(Suggestion.nearest(to: written, in: Self.names) == meant)
  }

  @Test(arguments: ["", "x", "colour", "zz", "🎉"])
  func findsNothing(_ written: String) {
    #expect(Suggestion.nearest(to: written, in: Self.names) == nil)
    #expect(Suggestion.nearest(to: written, in: []) == nil)
  }
}
