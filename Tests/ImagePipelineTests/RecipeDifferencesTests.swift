import ImagePipeline
import Testing

/// The words of `--explain` for recipes that differ.
struct RecipeDifferencesTests {
  private static let digest = String(repeating: "0a", count: 32)

  static let cases: [(earlier: String, later: String, text: String)] = [
    ("save\tquality\t80", "save\tquality\t85", "quality 80 → 85"),
    ("save\tquality\t80", "", "quality 80 → none"),
    ("", "save\tquality\t85", "quality none → 85"),
    ("", "sharpen\tis\tused", "sharpen is new"),
    ("sharpen\tis\tused", "", "sharpen is gone"),
    ("resize\twidth\t80", "resize\twidth\t90", "resize width 80 → 90"),
    // Digests are not shown.
    ("", "page 4\ttext\t\(digest)", "page 4 text is new"),
    ("page 4\ttext\t\(digest)", "", "page 4 text is gone"),
    ("colours\tplugin\tnone", "colours\tplugin\t\(digest)", "colours plugin has changed"),
    ("text\tlanguage\t54f1d71b   C", "text\tlanguage\t54f1d71b   de_DE", "the language of texts has changed"),
    ("canvas\tis\t5x5 rgb8 white", "canvas\tis\t6x5 rgb8 white", "canvas 5x5 rgb8 white → 6x5 rgb8 white"),
  ]

  @Test(arguments: cases) func areNamed(earlier: String, later: String, text: String) {
    let start = "imghost\tbuild\tx\nsave\tformat\tjpg"
    func recipe(_ line: String) -> String { line.isEmpty ? start : start + "\n" + line }
    let now = OutputRecipe(text: recipe(later), sources: [], reasonToMake: nil)
    #expect(now.differences(from: recipe(earlier)) == [text])
  }

  @Test func anotherBuildIsNamed() {
    let recipe = OutputRecipe(text: "imghost\tbuild\ty\nsave\tformat\tjpg", sources: [], reasonToMake: nil)
    #expect(recipe.differences(from: "imghost\tbuild\tx\nsave\tformat\tjpg") == ["imghost is another version"])
  }
}
