import ImageCore
import ImageOperations
import Platform
import Testing

/// Operations that go through a table: every sample value, exactly the nearest to the formula.
@Suite struct CurveTests {
  struct Row: CustomStringConvertible, Sendable {
    let call: Call
    /// From 0 to 1.
    let formula: @Sendable (Double) -> Double
    var description: String { call.description }
  }

  static let rows = [
    Row(call: Call("gamma", 2.2)) { pow($0, 1 / 2.2) },
    Row(call: Call("gamma", 0.5)) { $0 * $0 },
    Row(call: Call("linear", 1.5, -20)) { 1.5 * $0 - 20 / 255.0 },
    Row(call: Call("linear", -1, 255)) { 1 - $0 },
    Row(call: Call("invert")) { 1 - $0 },
    Row(call: Call("levels")) { $0 },
    Row(call: Call("levels", 30, 200, 1.7)) { pow(max(0, min(1, ($0 * 255 - 30) / 170)), 1 / 1.7) },
    Row(call: Call("levels", named: ["out_black": 250, "out_white": 51])) { 250 / 255 - 199 / 255 * $0 },
    Row(call: Call("curves", [[0, 0], [100, 100], [255, 255]])) { $0 },
    Row(call: Call("curves", [[51, 102], [102, 204]])) { max(0.4, min(0.8, 2 * $0)) },
    Row(call: Call("threshold", 128)) { $0 * 255 >= 127.999999 ? 1 : 0 },
    Row(call: Call("threshold", 0)) { _ in 1 },
  ]

  @Test(arguments: rows)
  func everySample(_ row: Row) throws {
    for format in [PixelFormat.gray8, PixelFormat(.u16, .gray, alpha: true)] {
      let top = format.sample.maximum
      let input = Picture(256, (top + 1) / 256, format) { x, y, band in
        band == 0 ? y * 256 + x : (x * 7) % 256
      }
      let expected = input.mapColours { [row.formula($0[0])] }
      #expect(try #require(row.call.run(input).distance(to: expected)) <= 0.5 + 1e-6)
    }
  }

  @Test func linearByBand() throws {
    let input = Picture(1, 1, .rgba8, [10, 20, 30, 40])
    let rows: [(Call, [Int])] = [
      (Call("linear", [1, 2, 3], 5), [15, 45, 95, 40]),
      (Call("linear", 2, [0, 1, 2, 3]), [20, 41, 62, 43]),
      (Call("linear", [1, 1, 1, 2]), [10, 20, 30, 80]),
      (Call("linear", [2], [1]), [21, 41, 61, 40]),
    ]
    for (call, expected) in rows { #expect(try call.run(input).samples == expected, "\(call)") }
  }

  @Test func linearWithAWrongCount() {
    #expect(
      throws: OperationError.unsuitable("'a' has 2 numbers; a rgb8 picture takes 1 or 3")
    ) { _ = try Call("linear", [1, 2]).run(.noise(1, 1, .rgb8)) }
  }

  /// Rows that do not end where eight bytes do.
  @Test func invertOddRows() throws {
    for sample in [SampleType.u8, .u16] {
      for (model, alpha) in [(ColourModel.gray, false), (.gray, true), (.rgb, false), (.rgb, true)] {
        let format = PixelFormat(sample, model, alpha: alpha)
        for width in 1...9 {
          let input = Picture.noise(width, 2, format)
          let expected = input.samples.enumerated().map { index, value in
            alpha && index % format.bands == format.bands - 1 ? value : sample.maximum - value
          }
          #expect(try Call("invert").run(input).samples == expected, "\(format) \(width)")
          #expect(
            try Call("invert", named: ["alpha": true]).run(input).samples
              == input.samples.map { sample.maximum - $0 }, "\(format) \(width)")
        }
      }
    }
  }

  @Test func invertAlpha() throws {
    let input = Picture(1, 1, .rgba8, [10, 20, 30, 40])
    #expect(try Call("invert").run(input).samples == [245, 235, 225, 40])
    #expect(
      try Call("invert", named: ["alpha": true]).run(input).samples == [245, 235, 225, 215])
  }
}
