import ImageCore
import TestSupport
import Testing

@testable import PluginHost

extension PluginHostTests {
  /// The test card, through the built worker.
  @Suite struct TestCardTests {
    let plugins = host()

    private func card(_ width: Int, _ height: Int, _ options: [(name: String, value: ParameterValue)] = []) throws
      -> Picture
    {
      let card = try #require(plugins.definition(named: "test_card"))
      return try card.run(
        Picture(width, height, .gray8, all: 0),
        [("width", .integer(width)), ("height", .integer(height))] + options)
    }

    @Test func barsStandInTheirOrder() throws {
      let card = try card(800, 600, [("level", .number(1)), ("circle", .boolean(false))])
      #expect(card.layout == PictureLayout(width: 800, height: 600, format: .rgb8))
      let colours = [
        [255, 255, 255], [255, 255, 0], [0, 255, 255], [0, 255, 0], [255, 0, 255], [255, 0, 0],
        [0, 0, 255], [0, 0, 0],
      ]
      for (index, colour) in colours.enumerated() {
        let x = 96 + 608 * (2 * index + 1) / 16
        #expect((0..<3).map { card[x, 150, $0] } == colour)
      }
      let dimmed = try self.card(800, 600, [("circle", .boolean(false))])
      #expect(dimmed[134, 150, 0] == 191)
    }

    @Test func graysRunFromBlackToWhite() throws {
      let options: [(name: String, value: ParameterValue)] = [("circle", .boolean(false)), ("steps", .integer(5))]
      for (depth, top) in [(8, 255), (16, 65_535)] {
        let card = try card(1000, 500, options + [("depth", .integer(depth))])
        #expect(card.layout.format.sample == (depth == 8 ? .u8 : .u16))
        let ramp = (120..<880).map { card[$0, 210, 0] }
        #expect(ramp.first == 0 && ramp.last == top && ramp == ramp.sorted())
        // Each of 760 columns has a value of its own at 16 bits.
        #expect(Set(ramp).count == (depth == 8 ? 256 : 760))
        let steps = (120..<880).map { card[$0, 250, 1] }
        let expected = (0..<5).map { Int((Double($0) / 4 * Double(top)).rounded()) }
        #expect(Set(steps).sorted() == expected)
      }
      let error = #expect(throws: OperationError.self) {
        try card(9, 9, [("depth", .integer(12))])
      }
      #expect(error == .unsuitable("'depth' is 8 or 16, not 12"))
    }

    /// As many lines in every row of the wedge as its ten-pixel cycles at the top leave room for, until they
    /// are one pixel wide.
    @Test(.thorough) func wedgesKeepTheirLines() throws {
      let card = try card(1500, 1000, [("circle", .boolean(false))])
      let columns = 180..<690
      for y in [580, 640, 700, 760] {
        let row = columns.map { card[$0, y, 0] }
        let edges = zip(row, row.dropFirst()).count { $0 > 127 && $1 <= 127 }
        #expect(edges + (row[0] <= 127 ? 1 : 0) == 51, "row \(y)")
      }
      // Half of the wedge is black wherever it is measured.
      let last = columns.map { card[$0, 879, 0] }
      let black = last.reduce(0.0) { $0 + Double(255 - $1) / 255 }
      #expect(abs(black - 51) < 1.5, "\(black)")
      let none = try self.card(1500, 1000, [("wedges", .boolean(false))])
      #expect(none[200, 600, 0] != 0)
    }

    @Test func theCircleIsRoundAndTheFrameAtTheEdge() throws {
      let card = try card(700, 500, [("grid", .integer(0)), ("wedges", .boolean(false))])
      func isBlack(_ x: Int, _ y: Int) -> Bool { (0..<3).allSatisfy { card[x, y, $0] < 30 } }
      #expect((108...111).contains { isBlack($0, 250) })
      #expect((588...591).contains { isBlack($0, 250) })
      #expect((488...491).contains { isBlack(350, $0) })
      for (x, y) in [(0, 0), (699, 3), (20, 499), (0, 250)] { #expect(card[x, y, 0] == 255) }
      #expect(card[5, 5, 0] == 128)
    }

    @Test(arguments: [(1, 1), (1, 9), (9, 1), (2, 2), (65, 3), (5000, 2), (2, 5000)])
    func everySizeWorks(_ size: (Int, Int)) throws {
      let first = try card(size.0, size.1)
      #expect(first.layout.width == size.0 && first.layout.height == size.1)
      #expect(try card(size.0, size.1) == first)
    }

    /// Floats and other numbers of bands, which this host never asks for here.
    @Test(arguments: [UInt32(1), 2, 3, 4], [UInt32(1), 2, 3])
    func otherFormatsHoldTheSame(_ bands: UInt32, _ sample: UInt32) throws {
      let (width, height) = (90, 60)
      let library = try Library.load(path: Built.folder + "/libTestCardPlugin.so")
      let size = sample == 1 ? 1 : sample == 2 ? 2 : 4
      let wire = WirePicture(
        width: 90, height: 60, sample: sample, bands: bands, alpha: bands % 2 == 0 ? 1 : 0,
        stride: UInt64((width * Int(bands) * size + 63) & ~63))
      let memory = UnsafeMutableRawPointer.allocate(byteCount: wire.byteCount, alignment: 64)
      defer { memory.deallocate() }
      var call = Call(log: { _, _ in }, isCancelled: { false }, progress: { _ in })
      let values = [
        WireValue([0.75]), WireValue([11]), WireValue([12]), WireValue([1]), WireValue([1]),
        WireValue([0.5, 0.5, 0.5, 1]),
      ]
      #expect(
        library.process(
          PluginWork(picture: wire, inputs: [], output: memory, values: values), &call))
      let expected = try card(width, height)
      let colours = bands < 3 ? 1 : 3
      for y in 0..<height {
        for x in 0..<width {
          let red = expected[x, y, 0]
          let luma = 0.2126 * Double(red) + 0.7152 * Double(expected[x, y, 1]) + 0.0722 * Double(expected[x, y, 2])
          for band in 0..<Int(bands) {
            let place = y * Int(wire.stride) + (x * Int(bands) + band) * size
            let value: Double =
              switch sample {
              case 1: Double(memory.load(fromByteOffset: place, as: UInt8.self)) / 255
              case 2: Double(memory.load(fromByteOffset: place, as: UInt16.self)) / 65_535
              default: Double(memory.load(fromByteOffset: place, as: Float.self))
              }
            let meant =
              band >= colours ? 255 : colours == 1 ? luma : Double(expected[x, y, band])
            #expect(abs(value * 255 - meant) <= 1.01, "(\(x), \(y)) \(band)")
          }
        }
      }
    }
  }
}
