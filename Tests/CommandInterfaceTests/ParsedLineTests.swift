import ImageCore
import Testing

@testable import CommandInterface

struct ParsedLineTests {
  private func parse(_ words: String) throws(UsageError) -> ParsedLine {
    try ParsedLine(words.split(separator: " ", omittingEmptySubsequences: false).map(String.init), of: Paint.self)
  }

  @Test func valuesInBothForms() throws {
    let line = try parse("--colour red --jobs=4 --dry-run a.png")
    #expect(line.value("--colour") == "red" && line.value("--jobs") == "4")
    #expect(line.has("--dry-run") && !line.has("--title"))
    #expect(line.operands == ["a.png"])
  }

  @Test func lastValueCounts() throws {
    #expect(try parse("--jobs 1 --jobs 2").value("--jobs") == "2")
    #expect(try parse("--jobs 1 --jobs 2").values("--jobs") == ["2"])
  }

  @Test func repeatedValuesAreKept() throws {
    #expect(try parse("--set a=1 --set=b=2").values("--set") == ["a=1", "b=2"])
  }

  @Test func restBelongsToTheScript() throws {
    let line = try parse("a.lua --dry-run --unknown")
    #expect(line.operands == ["a.lua", "--dry-run", "--unknown"] && !line.has("--dry-run"))
  }

  @Test func dashesEndOptions() throws {
    #expect(try parse("--dry-run -- --jobs").operands == ["--jobs"])
    #expect(try parse("-").operands == ["-"])
  }

  @Test func shortHelp() throws { #expect(try parse("-h").has("--help")) }

  @Test func emptyValueWhereAllowed() throws {
    #expect(try parse("--title=").value("--title") == "")
  }

  static let mistakes: [(String, UsageError)] = [
    ("--colour", .missingValue("--colour", expected: "one of red, blue")),
    ("--jobs", .missingValue("--jobs", expected: "N")),
    ("--dry-run=1", .unexpectedValue("--dry-run")),
    ("--jobs=", .badValue(option: "--jobs", value: "", expected: "N")),
    ("--colour=green", .badValue(option: "--colour", value: "green", expected: "one of red, blue")),
    (
      "--size",
      .unknownOption("--size", valid: ["--colour", "--set", "--title", "--jobs", "--dry-run", "--help"], home: nil)
    ),
  ]

  @Test(arguments: mistakes)
  func reportsMistakes(_ words: String, _ expected: UsageError) {
    #expect(throws: expected) { try parse(words) }
  }

  static let byteCounts: [(String, Int?)] = [
    ("1M", 1 << 20), ("512M", 512 << 20), ("2G", 2 << 30), ("1.5GiB", 3 << 29), ("2mb", 2 << 20),
    ("1T", 1 << 40), ("1048576", 1 << 20), ("5", nil), ("1K", nil), ("M", nil), ("-2G", nil),
    ("9999T", nil), ("two", nil),
  ]

  @Test(arguments: byteCounts)
  func bytes(_ text: String, _ expected: Int?) throws {
    #expect((try? parse("--jobs=\(text)").bytes("--jobs")) == expected)
  }

  static let durations: [(String, Double?)] = [
    ("30", 30), ("0.5", 0.5), ("2s", 2), ("0", nil), ("-1", nil), ("soon", nil), ("1e8", nil),
  ]

  @Test(arguments: durations)
  func seconds(_ text: String, _ expected: Double?) throws {
    #expect((try? parse("--jobs=\(text)").seconds("--jobs")) == expected)
  }

  @Test func counts() throws {
    #expect(try parse("--jobs 4096").count("--jobs") == 4096)
    #expect(try parse("a").count("--jobs") == nil)
    for text in ["0", "4097", "x"] {
      #expect(
        throws: UsageError.badValue(option: "--jobs", value: text, expected: "a whole number from 1 to 4096")
      ) { try parse("--jobs \(text)").count("--jobs") }
    }
  }

  static let parameters: [(ParameterDescriptor, String, String?, [String])] = [
    (ParameterDescriptor("fail_on", .boolean, help: "h"), "--fail-on", nil, []),
    (ParameterDescriptor("pages", .integer(1...9), help: "h"), "--pages", "N", []),
    (ParameterDescriptor("dpi", .number(1...9), help: "h"), "--dpi", "N", []),
    (ParameterDescriptor("fonts", .choice(["a", "b"]), help: "h"), "--fonts", "WORD", ["a", "b"]),
    (ParameterDescriptor("text", .text, help: "h"), "--text", "TEXT", []),
  ]

  @Test(arguments: parameters)
  func optionsOfParameters(_ parameter: ParameterDescriptor, _ name: String, _ value: String?, _ choices: [String]) {
    let option = CommandOption(parameter)
    #expect(option.name == name && option.value == value && option.choices == choices)
    #expect(option.help == "h")
  }

  static let defaults: [(ParameterValue?, String)] = [
    (nil, "h"), (.boolean(false), "h"), (.text(""), "h"), (.text("any"), "h (default: any)"),
    (.integer(3), "h (default: 3)"),
  ]

  @Test(arguments: defaults)
  func defaultsInHelp(_ value: ParameterValue?, _ expected: String) {
    let parameter = ParameterDescriptor("x", .text, default: value, help: "h")
    #expect(CommandOption(parameter).fullHelp == expected)
  }
}
