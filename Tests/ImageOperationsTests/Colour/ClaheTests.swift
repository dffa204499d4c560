import ImageCore
import ImageOperations
import TestSupport
import Testing

/// Adaptive equalisation against a plain one in double precision.
@Suite struct ClaheTests {
  /// The lightness of a pixel, from 0 to 1: that of CIE for colours, the middle of the sample for gray.
  private static func lightness(_ colours: [Double], _ levels: Double) -> Double {
    colours.count == 1
      ? (colours[0] * (levels - 1) + 0.5) / levels : ReferenceColour.lab(colours)[0] / 100
  }

  /// Returns samples that need not be whole.
  private static func reference(_ input: Picture, columns: Int, rows: Int, clip: Double) -> [Double] {
    let (width, height, levels) = (input.width, input.height, Double(input.top + 1))
    let (columns, rows) = (min(columns, width), min(rows, height))
    let colours = input.layout.format.model.bandCount
    func pixel(_ x: Int, _ y: Int) -> [Double] { Array(input.fractions(x, y).prefix(colours)) }
    // The curve of each tile: its values at the ends of the steps.
    var curves: [[[Double]]] = []
    for row in 0..<rows {
      curves.append([])
      for column in 0..<columns {
        var counts = [Double](repeating: 0, count: 256)
        for y in row * height / rows..<(row + 1) * height / rows {
          for x in column * width / columns..<(column + 1) * width / columns {
            counts[max(0, min(255, Int(lightness(pixel(x, y), levels) * 256)))] += 1
          }
        }
        let total = counts.reduce(0, +)
        let limit = clip * total / 256
        let excess = counts.reduce(0) { $0 + max(0, $1 - limit) } / 256
        curves[row].append(counts.reduce(into: [0]) { $0.append($0[$0.count - 1] + (min($1, limit) + excess) / total) })
      }
    }
    func value(_ row: Int, _ column: Int, _ lightness: Double) -> Double {
      let place = max(0, min(256, lightness * 256))
      let step = min(255, Int(place))
      return curves[row][column][step] + (curves[row][column][step + 1] - curves[row][column][step])
        * (place - Double(step))
    }
    func around(_ index: Int, _ count: Int, _ side: Int) -> [(Int, Double)] {
      let place = max(0, min(Double(count - 1), (Double(index) + 0.5) * Double(count) / Double(side) - 0.5))
      let first = Int(place)
      return [(first, 1 - place + Double(first)), (min(first + 1, count - 1), place - Double(first))]
    }
    var result: [Double] = []
    for y in 0..<height {
      for x in 0..<width {
        let here = pixel(x, y)
        let old = lightness(here, levels)
        var new = 0.0
        for (row, down) in around(y, rows, height) {
          for (column, across) in around(x, columns, width) { new += down * across * value(row, column, old) }
        }
        if colours == 1 {
          result.append(max(0, min(levels - 1, new * levels - 0.5)))
        } else {
          let lab = ReferenceColour.lab(here)
          result += ReferenceColour.rgb([new * 100, lab[1], lab[2]]).map { $0 * (levels - 1) }
        }
        if input.layout.format.hasAlpha { result.append(input.fractions(x, y)[colours] * (levels - 1)) }
      }
    }
    return result
  }

  /// A dark half with little contrast and a bright one, so that tiles differ.
  private static func picture(_ width: Int, _ height: Int, _ format: PixelFormat) -> Picture {
    var random = SplitMix(width + height)
    let top = format.sample.maximum
    return Picture(width, height, format) { x, y, band in
      let noise = random.below(top / 12)
      return x + y < (width + height) / 2 ? top / 12 + noise + band * top / 60 : top / 2 + 4 * noise
    }
  }

  static let formats: [PixelFormat] = [
    .gray8, .rgb8, .rgba8, PixelFormat(.u16, .gray, alpha: true), PixelFormat(.u16, .rgb),
    PixelFormat(.u16, .rgb, alpha: true),
  ]

  @Test(arguments: formats)
  func equalsReference(_ format: PixelFormat) throws {
    for (width, height, columns, rows, clip) in [
      (61, 47, 4, 3, 2.0), (64, 64, 8, 8, 3.5), (30, 90, 1, 5, 40), (5, 3, 8, 8, 2), (97, 20, 7, 1, 1),
    ] {
      let input = Self.picture(width, height, format)
      let call = Call(
        "clahe", named: ["columns": .integer(columns), "rows": .integer(rows), "clip": .number(clip)])
      let result = try call.run(input, stripRows: 7)
      let expected = Self.reference(input, columns: columns, rows: rows, clip: clip)
      let distance = try #require(result.distance(to: expected))
      // A pixel on the border of two steps may be counted in either, which is much where a tile is one pixel.
      let limit = width * height < 20 ? 2.0 : 1
      #expect(distance <= (format.sample == .u8 ? limit : 80 * limit), "\(format) \(width)x\(height)")
    }
  }

  /// Where every step has as many pixels, curves are straight.
  @Test func evenCountsChangeNothing() throws {
    for format in [PixelFormat.gray8, PixelFormat(.u16, .gray, alpha: true)] {
      let input = Picture(64, 48, format) { x, y, band in
        (x % 16 * 16 + y % 16) * (format.sample.maximum / 255)
      }
      let call = Call("clahe", named: ["columns": .integer(4), "rows": .integer(3)])
      #expect(try call.run(input).samples == input.samples, "\(format)")
    }
  }

  @Test func workersAndStripsGiveTheSame() throws {
    let input = Self.picture(300, 211, .rgb8)
    let expected = try Call("clahe").run(input)
    for rows in [1, 13, 211] {
      #expect(try Call("clahe").run(input, stripRows: rows, in: .threaded).samples == expected.samples)
    }
    #expect(throws: PictureError.cancelled) { _ = try Call("clahe").run(input, in: .cancelled) }
  }

  /// A window of rows is kept, not the picture.
  @Test func holdsTwoRowsOfTiles() throws {
    let layout = PictureLayout(width: 4_000, height: 8_000, format: .rgb8)
    let bytes = try Call("clahe").make().workingByteCount(for: [layout])
    #expect(bytes < layout.byteCount / 3)
  }
}
