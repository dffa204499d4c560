import ImageCore
import PluginHost
import Synchronization
import Testing

extension PluginHostTests {
  /// The frei0r interface, tested with a plugin that reports the values that it got.
  @Suite struct Frei0rTests {
    private func plugins(
      _ macros: [String] = [], sideMultiple: Int = 8, onEvent: @escaping @Sendable (PluginEvent) -> Void = { _ in }
    ) throws -> PluginHost {
      let folder = PluginFolder(path: try Built.frei0r("strange", macros), files: .frei0r)
      return host([folder], onEvent: onEvent) { $0.frei0rSideMultiple = sideMultiple }
    }

    private func strange(_ macros: [String] = []) throws -> OperationDefinition {
      try #require(try plugins(macros).definition(named: "frei0r.strange"))
    }

    @Test func parametersHaveTheirNamesAndDefaults() throws {
      let descriptor = try strange().descriptor
      #expect(descriptor.summary == "Tells what it was given")
      #expect(
        descriptor.parameters == [
          ParameterDescriptor("is_it_on", .boolean, default: .boolean(true), label: "Is It On?", help: "whether"),
          ParameterDescriptor("amount", .number(0...1), default: .number(0.25), label: "Amount", help: "Amount"),
          ParameterDescriptor(
            "amount_2", .number(0...1.5), default: .number(1.5), label: "amount", help: "how much"),
          ParameterDescriptor(
            "key_color", .colour, default: .colour(Colour(red: 1, green: 0.5, blue: 0)), label: "Kéy color",
            help: "Kéy color"),
          ParameterDescriptor(
            "place", .numbers(2...2), default: .list([.number(0.5), .number(0.75)]), label: "Place", help: "where"),
          ParameterDescriptor("time", .text, default: .text("none"), label: "time", help: "words"),
        ])
    }

    /// The facts that the plugin writes into its first row.
    private func facts(_ picture: Picture) -> [Int] { (0..<13).map { picture[$0, 0, 0] } }

    @Test func defaultsAreTheInstancesOwn() throws {
      let picture = Picture(21, 13, .rgb8) { x, y, band in x + y + band }
      let strange = try strange()
      for _ in 0..<3 {
        let result = try strange.run(picture)
        // Sides padded, a fresh instance, nothing set.
        #expect(facts(result) == [24, 16, 1, 0, 10, 25, 150, 100, 50, 50, 75, 110, 1])
        #expect(
          (1..<13).allSatisfy { y in
            (0..<21).allSatisfy { x in (0..<3).allSatisfy { result[x, y, $0] == x + y + $0 } }
          })
      }
    }

    @Test func valuesOfAllTypesArrive() throws {
      let result = try strange().run(
        Picture(16, 8, .rgb8, all: 0),
        [
          ("is_it_on", .boolean(false)), ("amount", .number(0.75)), ("amount_2", .number(0.5)),
          ("key_color", .text("#00ff00")), ("place", .list([.number(0.25), .integer(1)])), ("time", .text("zero")),
        ])
      #expect(facts(result) == [16, 8, 1, 6, 0, 75, 50, 0, 100, 25, 100, 122, 1])
    }

    @Test(arguments: [(1, 1), (8, 8), (9, 1), (63, 61)])
    func sidesArePaddedWithTheEdge(_ width: Int, _ height: Int) throws {
      // A mixer of two that are the same leaves black, wherever it looks.
      let picture = Picture(width, height, .rgba8) { x, y, band in (x * 5 + y * 3 + band) % 256 }
      let result = try strange().run(picture)
      #expect(result.layout == picture.layout)
      #expect(result[0, 0, 0] == (width + 7) / 8 * 8)
      #expect(result[width - 1, height - 1, 2] == picture[width - 1, height - 1, 2] || height == 1)
      let bare = try #require(
        try plugins(sideMultiple: 1).definition(named: "frei0r.strange"))
      #expect(try bare.run(picture)[0, 0, 0] == width)
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8, .gray8.with(alpha: true)])
    func everyFormatIsConverted(_ format: PixelFormat) throws {
      let picture = Picture(20, 10, format) { x, y, band in (x * 7 + y * 11 + band * 40) % 256 }
      for model in ["RGBA8888", "BGRA8888", "PACKED32"] {
        let result = try strange(["MODEL=F0R_COLOR_MODEL_\(model)"]).run(picture)
        let last = format.bands - 1
        for x in 0..<20 {
          #expect(result[x, 5, 0] == picture[x, 5, 0])
          #expect(result[x, 5, 2] == picture[x, 5, format.model == .gray ? 0 : 2])
          if format.hasAlpha { #expect(result[x, 5, 3] == picture[x, 5, last]) }
        }
        // The first byte of a pixel is blue for a plugin that has blue first.
        #expect(result[0, 0, model == "BGRA8888" ? 2 : 0] == 24)
      }
    }

    @Test func aNoteSaysOnceThatDepthIsLost() throws {
      let events = Mutex<[PluginEvent]>([])
      let host = try plugins { event in events.withLock { $0.append(event) } }
      let strange = try #require(host.definition(named: "frei0r.strange"))
      let deep = Picture(20, 10, PixelFormat(.u16, .rgb)) { x, _, _ in x * 3000 }
      for _ in 0..<2 { #expect(try strange.run(deep)[5, 5, 0] == (15000 + 128) / 257 * 257) }
      #expect(
        events.withLock { $0 } == [
          .log(
            plugin: "frei0r.strange", isWarning: false,
            text: "works with 8 bits a sample; what pictures of 16 bits have beyond that is lost")
        ])
    }

    @Test(arguments: [("SOURCE", 0), ("MIXER2", 2), ("MIXER3", 3)])
    func sourcesAndMixers(_ type: String, _ count: Int) throws {
      let strange = try strange(["TYPE=F0R_PLUGIN_TYPE_\(type)"])
      #expect(strange.descriptor.isSource == (count == 0))
      let pictures = (0..<max(count, 1)).map { k in
        Picture(24, 9, .rgb8) { x, y, band in (x + y * k + band + k) % 256 }
      }
      let result =
        count == 0
        ? try strange.run(pictures[0], [("width", .integer(24)), ("height", .integer(9))])
        : try strange.mix(pictures)
      #expect(result[12, 0, 0] == count)
      let expected =
        count == 0 ? 0 : pictures.reduce(0) { $0 ^ $1[7, 5, 1] }
      #expect(result[7, 5, 1] == expected)
    }

    @Test(arguments: [
      ("INIT_FAILS", "f0r_init failed"),
      ("CONSTRUCT_FAILS", "f0r_construct returned NULL"),
      ("BAD_TYPE", "parameter 0 has the unknown type 9"),
      ("MANY_PARAMETERS", "invalid number of parameters 70000"),
      ("TYPE=12", "unknown plugin type 12"),
      ("MODEL=3", "unknown colour model 3"),
    ])
    func refusals(_ macro: String, _ words: String) throws {
      let refusal = try plugins([macro]).discover().first?.refusal
      #expect(refusal?.hasSuffix(" is not a working frei0r plugin: \(words)") == true)
    }

    @Test func namesDoNotMeet() throws {
      // A frei0r library among native ones, and a native one that has the same name.
      let folder = try Built.frei0r("strange")
      let native = try Built.plugin("maker")
      let hosts = host([
        PluginFolder(path: folder), PluginFolder(path: native),
        PluginFolder(path: folder, files: .frei0r), PluginFolder(path: native, files: .frei0r),
      ])
      #expect(hosts.names() == ["maker"])
      #expect(
        hosts.discover().first?.refusal?.hasSuffix(
          "is a frei0r plugin in a folder of native plugins; add the folder to FREI0R_PATH") == true
      )
    }
  }
}
