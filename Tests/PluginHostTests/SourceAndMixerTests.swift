import ImageCore
import PluginHost
import Testing

extension PluginHostTests {
  /// Native plugins with no input, and with several.
  @Suite struct SourceAndMixerTests {
    private func maker(_ macros: [String]) throws -> OperationDefinition {
      try #require(host(try Built.plugin("maker", macros)).definition(named: "maker"))
    }

    private func refusal(_ macros: [String]) throws -> String? {
      host(try Built.plugin("maker", macros)).discover().first?.refusal
        .map { String($0.drop { $0 != " " }.dropFirst()) }
    }

    @Test(arguments: [
      ([], PixelFormat.rgb8), (["BANDS=2"], .gray8), (["BANDS=16"], .rgba8),
      (["BANDS=20", "SHORT"], PixelFormat.rgba8),
    ])
    func aSourceMakesWhatItCan(_ macros: [String], _ format: PixelFormat) throws {
      let maker = try maker(macros)
      #expect(maker.descriptor.isSource)
      #expect(maker.descriptor.parameters.map(\.name) == ["width", "height"])
      let result = try maker.run(Picture(19, 7, .rgb8, all: 0), [("width", .integer(19)), ("height", .integer(7))])
      #expect(result == Picture(19, 7, format) { x, y, band in x + 3 * y + band })
    }

    @Test(arguments: [2, 3, 5, 8])
    func aMixerGetsItsInputsInOrder(_ count: Int) throws {
      let maker = try maker(["INPUTS=\(count)"])
      let names = maker.descriptor.parameters.map(\.name)
      #expect(names.count == count - 1 && names.first == "second")
      // A row of 64 pixels more than a page, so that nothing is where it is by chance.
      let pictures = (0..<count).map { k in
        Picture(37, 29, .rgb8) { x, y, band in (x + y * 2 + band * 3 + k * 7) % 20 }
      }
      let expected = Picture(37, 29, .rgb8) { x, y, band in
        pictures.indices.reduce(0) { $0 + ($1 + 1) * pictures[$1][x, y, band] } % 256
      }
      for _ in 0..<3 { #expect(try maker.mix(pictures) == expected) }
    }

    @Test func inputsMayBeNamedInAnyOrder() throws {
      let maker = try maker(["INPUTS=3"])
      let pictures = [1, 10, 20].map { Picture(5, 4, .gray8, all: $0) }
      #expect(try maker.mix(pictures, order: [1, 2]) == Picture(5, 4, .gray8, all: 1 + 20 + 60))
      #expect(try maker.mix(pictures, order: [2, 1]) == Picture(5, 4, .gray8, all: 1 + 40 + 30))
    }

    @Test func formatsAreBroughtTogether() throws {
      let maker = try maker(["INPUTS=2"])
      let mixed = try maker.mix([Picture(9, 8, .gray8, all: 5), Picture(9, 8, .rgba8) { _, _, band in band * 10 }])
      #expect(
        mixed
          == Picture(9, 8, .rgba8) { _, _, band in band < 3 ? 5 + 20 * band : 255 + 60 - 256 })
    }

    @Test func unequalSizesAreAnError() throws {
      let pictures = [Picture(9, 8, .gray8, all: 5), Picture(9, 7, .gray8, all: 5)]
      #expect(
        throws: OperationError.unsuitable(
          "needs pictures of one size; the first is 9x8, another 9x7: resize one of them before it")
      ) {
        try maker(["INPUTS=2"]).mix(pictures)
      }
    }

    @Test func aStepFromOneInputToTheNextIsSeen() throws {
      for input in 0..<3 {
        let error = #expect(throws: PictureError.self) {
          try maker(["INPUTS=3", "STEP=\(input)"]).mix((0..<3).map { Picture(9, 8, .gray8, all: $0) })
        }
        let words = "plugin 'maker' read outside its input (segmentation fault at 0x"
        #expect(error?.description.hasPrefix(words) == true, "\(String(describing: error))")
      }
    }

    @Test func whatCannotBeIsRefused() throws {
      let start = "describes itself wrongly: "
      #expect(
        try refusal(["INPUTS=9"]) == start + "a mixer takes 2 to 8 pictures, not 9")
      #expect(
        try refusal(["NAME=\"width\""]) == start
          + "parameter 'width': the name is reserved for the size or another picture")
      #expect(try refusal(["INPUTS=3", "NAME=\"third\""])?.contains("'third'") == true)
      #expect(try refusal(["INPUTS=2", "NAME=\"third\""]) == nil)
      // Without the field, a mixer takes two.
      #expect(try maker(["INPUTS=2", "SHORT"]).descriptor.parameters.map(\.name) == ["second"])
    }
  }
}

extension OperationDefinition {
  /// Runs it on several pictures.
  ///
  /// - Parameter order: which of them are given as the second, the third, …
  func mix(_ pictures: [Picture], order: [Int]? = nil, _ options: [(name: String, value: ParameterValue)] = []) throws
    -> Picture
  {
    let order = order ?? Array(1..<max(pictures.count, 1))
    let named = zip(descriptor.parameters, order).map {
      (name: $0.name, value: ParameterValue.picture($1))
    }
    let operation = try make(Arguments(RawArguments(named: named + options), for: descriptor))
    let layouts = pictures.map(\.layout)
    let expected = try operation.outputLayout(of: layouts)
    let source = try operation.open(
      pictures.map(\.source), nominal: layouts, context: .serial)
    precondition(source.layout == expected)
    return try Picture(reading: source)
  }
}
