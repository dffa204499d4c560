import ImageCore
import Testing

/// Messages about wrong arguments, made by checking them.
@Suite struct ArgumentTextTests {
  private static let parameters: [ParameterDescriptor] = [
    ParameterDescriptor("width", .integer(1...100), help: ""),
    ParameterDescriptor("amount", .number(0...2.5), default: .number(1), help: ""),
    ParameterDescriptor("from", .integer(3...Int.max), help: ""),
    ParameterDescriptor("least", .number(0 ... .infinity), help: ""),
    ParameterDescriptor("fit", .choice(["cover", "contain"]), help: ""),
    ParameterDescriptor("on", .boolean, help: ""),
    ParameterDescriptor("title", .text, help: ""),
    ParameterDescriptor("tint", .colour, help: ""),
    ParameterDescriptor("matrix", .numbers(4...9), help: ""),
    ParameterDescriptor("pair", .numbers(2...2), help: ""),
    ParameterDescriptor("over", .picture, help: ""),
    ParameterDescriptor("max_bytes", .byteCount, help: ""),
    ParameterDescriptor("palette", .booleanOrInteger(2...256), help: ""),
  ]

  private func said(
    _ named: [(String, ParameterValue)], positional: [ParameterValue] = [], required: [ParameterDescriptor] = []
  ) -> [String] {
    let raw = RawArguments(
      positional: positional, named: named.map { (name: $0.0, value: $0.1) })
    do throws(ArgumentErrors) {
      _ = try Arguments(raw, parameters: Self.parameters + required, positionalCount: 2)
      return []
    } catch {
      return error.errors.map(\.description)
    }
  }

  static let rows: [(name: String, value: ParameterValue, text: String)] = [
    ("width", .text("5"), "'width' is the string '5'; write 5"),
    ("width", .text("40px"), "'width' is '40px'; write 40"),
    ("width", .text("40 PX"), "'width' is '40 PX'; write 40"),
    ("width", .text("400px"), "'width' takes a whole number from 1 to 100, not '400px'"),
    ("width", .text("80x60"), "'width' takes a whole number from 1 to 100, not '80x60'"),
    ("amount", .text("2.5"), "'amount' is the string '2.5'; write 2.5"),
    ("on", .text("true"), "'on' is the string 'true'; write true"),
    ("width", .number(2.5), "'width' takes a whole number from 1 to 100, not 2.5"),
    ("width", .integer(101), "'width' is 101; it takes a whole number from 1 to 100"),
    ("width", .number(.nan), "'width' takes a whole number from 1 to 100, not nan"),
    ("width", .number(1e300), "'width' takes a whole number from 1 to 100, not 1e+300"),
    ("amount", .integer(3), "'amount' is 3; it takes a number from 0 to 2.5"),
    ("amount", .number(.infinity), "'amount' is inf; it takes a number from 0 to 2.5"),
    ("amount", .boolean(true), "'amount' takes a number from 0 to 2.5, not a boolean"),
    ("from", .integer(2), "'from' is 2; it takes a whole number of at least 3"),
    ("least", .integer(-1), "'least' is -1; it takes a number of at least 0"),
    ("fit", .text("covr"), "'fit' cannot be 'covr' (did you mean 'cover'?); valid: cover, contain"),
    ("fit", .text("x"), "'fit' cannot be 'x'; valid: cover, contain"),
    ("fit", .integer(1), "'fit' takes one of cover, contain, not a number"),
    ("on", .integer(1), "'on' takes true or false, not a number"),
    ("title", .integer(1), "'title' takes text, not a number"),
    (
      "tint", .text("reddd"), "'tint' is not a colour: 'reddd'; use '#rrggbb', '#rrggbbaa', a CSS name, or { r, g, b }"
    ),
    ("tint", .boolean(true), "'tint' takes a colour, not a boolean"),
    ("matrix", .list([.integer(1)]), "'matrix' takes a list of 4 to 9 numbers, not 1"),
    (
      "matrix", .list([.text("a")]),
      "'matrix' takes a list of 4 to 9 numbers, not { 'a' }"
    ),
    ("pair", .integer(1), "'pair' takes a list of 2 numbers, not 1"),
    ("over", .text("p"), "'over' takes a picture, not 'p'"),
    ("max_bytes", .text("80q"), "'max_bytes' is '80q'; it takes a size such as 81920 (bytes), '80k' or '1.5M'"),
    ("max_bytes", .integer(0), "'max_bytes' is 0; it takes a size such as 81920 (bytes), '80k' or '1.5M'"),
    ("max_bytes", .boolean(true), "'max_bytes' takes a size such as 81920 (bytes), '80k' or '1.5M', not a boolean"),
    ("palette", .integer(1), "'palette' is 1; it takes true, false or a whole number from 2 to 256"),
    ("palette", .text("256"), "'palette' is the string '256'; write 256"),
    (
      "widht", .integer(1),
      "unknown option 'widht' (did you mean 'width'?); valid: width, amount, from, least, fit, on, "
        + "title, tint, matrix, pair, over, max_bytes, palette"
    ),
  ]

  @Test(arguments: rows.indices)
  func oneMistake(_ index: Int) {
    let row = Self.rows[index]
    #expect(said([(row.name, row.value)]) == [row.text])
  }

  /// If there are more than a dozen names, the message lists only near ones.
  @Test(arguments: [
    ("widht", "unknown option 'widht' (did you mean 'width'?); see 'imghost ops x'"),
    ("ink_color", "unknown option 'ink_color'; nearest: colour; see 'imghost ops x'"),
    ("fat", "unknown option 'fat' (did you mean 'fit'?); see 'imghost ops x'"),
    ("Breadth", "unknown option 'Breadth' (did you mean 'size'?); see 'imghost ops x'"),
    ("color_size", "unknown option 'color_size'; nearest: size, colour; see 'imghost ops x'"),
    ("quorble", "unknown option 'quorble'; see 'imghost ops x'"),
  ])
  func nearestNames(_ name: String, _ text: String) {
    let more = [
      ParameterDescriptor("size", .text, help: "", synonyms: ["breadth"]),
      ParameterDescriptor("colour", .colour, help: ""),
    ]
    let raw = RawArguments(named: [(name: name, value: .integer(1))])
    let errors = #expect(throws: ArgumentErrors.self) {
      try Arguments(raw, parameters: Self.parameters + more, positionalCount: 2)
    }
    let found = errors?.errors.map { $0.text(in: "x") } ?? []
    #expect(found.count == 1 && found.allSatisfy { $0 == text }, "\(found)")
  }

  @Test func floods() {
    let named = (1...1000).map { (name: "o\($0)", value: ParameterValue.integer(1)) }
    let errors = #expect(throws: ArgumentErrors.self) {
      try Arguments(RawArguments(named: named), parameters: Self.parameters, positionalCount: 2)
    }
    #expect(errors?.errors.count == ArgumentErrors.most)
    #expect(errors?.further == 1000 - ArgumentErrors.most)
  }

  @Test func severalMistakes() {
    let name = ParameterDescriptor("name", .text, required: true, help: "")
    let texts = said(
      [("width", .integer(0)), ("on", .text("yes"))],
      positional: [.integer(5), .number(1), .integer(3)], required: [name])
    #expect(
      texts == [
        "takes at most 2 arguments by position, but 3 were given", "'width' is given twice",
        "'on' takes true or false, not 'yes'", "'name' is missing",
      ])
  }

  @Test func canonicalForms() throws {
    let raw = RawArguments(
      positional: [.number(5)],
      named: [
        (name: "matrix", value: .list([.list([.integer(1), .integer(2)]), .list([.integer(3), .number(4)])])),
        (name: "amount", value: .integer(2)),
      ])
    let arguments = try Arguments(raw, parameters: Self.parameters, positionalCount: 2)
    #expect(arguments["width"] == .integer(5))
    #expect(arguments["amount"] == .number(2))
    #expect(arguments["matrix"] == .list([.integer(1), .integer(2), .integer(3), .number(4)]))
    #expect(arguments["fit"] == nil)
  }
}
