import Testing

@testable import LuaBindings

struct VersionRequirementTests {
  @Test(arguments: [
    (">= 1.2", "1.2", true), (">= 1.2", "1.10", true), (">= 1.2", "1.1.9", false), (">=1.2", "2", true),
    ("= 1.2", "1.2.0", true), ("= 1.2", "1.2.1", false), ("> 1.2", "1.2.0", false), ("> 1.2", "1.2.1", true),
    ("< 2", "1.99", true), ("< 2", "2.0", false), ("<= 2", "2.0.0", true), (">= 1.2, < 2", "1.5", true),
    (">= 1.2, < 2", "2.1", false), (">= 1", "1.0 (giflib 5.2.1)", true), (">= 1.2", "1.2-beta", true),
    (">= 0", "", false), (">= 0", "beta", false), (">= 1", "1.", true),
  ])
  func accepts(_ text: String, _ version: String, _ accepted: Bool) throws {
    #expect(try #require(VersionRequirement(text)).accepts(version) == accepted)
  }

  @Test(arguments: [
    "", "1.2", ">=", ">= x", "~> 1", ">= 1.2,", ">= 1..2", ">= .1", ">= 1.", ">= 1 2", "== 1",
    ">= 99999999999999999999",
  ])
  func refuses(_ text: String) { #expect(VersionRequirement(text) == nil) }

  @Test func textHasSingleSpaces() { #expect(VersionRequirement(" >=1.2 ,<  2 ")?.text == ">= 1.2, < 2") }
}
