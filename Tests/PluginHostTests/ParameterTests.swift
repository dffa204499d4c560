import ImageCore
import PluginHost
import Testing

extension PluginHostTests {
  /// From a plugin's declaration to a script's options and back to the plugin's values.
  @Suite struct ParameterTests {
    @Test func declarationsBecomeDescriptors() throws {
      let plugins = host(try Built.plugin("echo"))
      let plugin = try plugins.discover()[0].outcome.get()
      #expect(plugin.version == "2.1")
      #expect(plugin.formats == "rgb, rgb+alpha; u8, f32")
      #expect(plugin.extent == .rows(padding: 3))
      #expect(plugin.isDeterministic)
      let descriptor = try #require(plugins.definition(named: "echo")).descriptor
      #expect(descriptor.family == "plugin")
      #expect(descriptor.summary == "Says what it was given")
      #expect(
        descriptor.parameters == [
          ParameterDescriptor("flag", .boolean, default: .boolean(true), help: "A flag"),
          ParameterDescriptor(
            "count", .integer(-5...5), default: .integer(2), step: 2, label: "How many", group: "Numbers", help: ""),
          ParameterDescriptor(
            "amount", .number(0...2.5), default: .number(0.5), unit: "px", step: 0.25, group: "Numbers", help: ""),
          ParameterDescriptor("level", .choice(["low", "high"]), default: .text("high"), help: ""),
          ParameterDescriptor(
            "tint", .colour, default: .colour(Colour(red: 1, green: 0, blue: 0)), help: ""),
          ParameterDescriptor("words", .text, default: .text("none"), help: ""),
          ParameterDescriptor(
            "place", .numbers(2...2), default: .list([.number(0.25), .number(-1)]), help: ""),
        ])
    }

    @Test(
      arguments: [
        ([], "got 7: 1 2 0.5 1 (1 0 0 1) 'none' (0.25 -1)", []),
        (
          [
            ("amount", .integer(2)), ("count", .integer(-3)), ("flag", .boolean(false)),
            ("level", .text("low")), ("place", .list([.integer(1), .number(0.5)])),
            ("tint", .text("#00ff0000")), ("words", .text("grüß dich")),
          ],
          "got 7: 0 -3 2 0 (0 1 0 0) 'grüß dich' (1 0.5)",
          ["flag=false", "count=-3", "amount=2", "level=low", "tint=#00ff0000", "words=\"grüß dich\"", "place=1,0.5"]
        ),
      ] as [([(String, ParameterValue)], String, [String])])
    func valuesArrive(_ options: [(String, ParameterValue)], _ expected: String, _ settings: [String]) throws {
      let echo = try #require(host(try Built.plugin("echo")).definition(named: "echo"))
      let named = options.map { (name: $0.0, value: $0.1) }
      let failure = PluginFailure(plugin: "echo", cause: CallFailure.plugin(expected), settings: settings)
      #expect(throws: PictureError.plugin(failure)) {
        try echo.run(Picture(2, 2, .rgb8, all: 0), named)
      }
    }

    @Test func mistakesAreFoundBeforeAnythingRuns() throws {
      let echo = try #require(host(try Built.plugin("echo")).definition(named: "echo"))
      let raw = RawArguments(named: [("amuont", .number(1)), ("level", .text("hihg"))])
      let errors = #expect(throws: ArgumentErrors.self) {
        try Arguments(raw, for: echo.descriptor)
      }
      #expect(
        errors?.errors.map(\.description) == [
          "unknown option 'amuont' (did you mean 'amount'?); valid: flag, count, amount, level, "
            + "tint, words, place",
          "'level' cannot be 'hihg' (did you mean 'high'?); valid: low, high",
        ])
      let long = [(name: "words", value: ParameterValue.text(String(repeating: "x", count: 600)))]
      #expect(
        throws: OperationError.unsuitable("'words' takes text of at most 512 bytes and no byte 0")
      ) {
        try echo.run(Picture(2, 2, .rgb8, all: 0), long)
      }
    }
  }
}
