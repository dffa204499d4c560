import ImageCore
import Testing

@testable import ImageOperations

@Suite("Resize") struct ResizeTests {
  static let formats: [PixelFormat] = [
    .gray8, .rgb8, .rgba8, PixelFormat(.u8, .gray, alpha: true), PixelFormat(.u16, .rgb),
    PixelFormat(.u16, .rgb, alpha: true),
  ]

  @Test("strips and workers do not change a byte", arguments: formats)
  func stripsAndWorkers(_ format: PixelFormat) throws {
    // Wide enough for several workers to be used.
    let picture = resamplePicture(2200, 90, format)
    let resize = try Resize(resampleArguments(Resize.self, [.integer(700), .integer(33)]))
    let whole = try resize.resample(picture, strip: 64)
    for strip in [1, 3] { #expect(try resize.resample(picture, strip: strip) == whole) }
    for context in [OperationContext.backwards, .threads] {
      #expect(try resize.resample(picture, strip: 64, context: context) == whole)
      #expect(try resize.resample(picture, strip: 3, context: context) == whole)
    }
  }

  @Test("cover equals scaling all and cutting", arguments: formats)
  func coverIsOnePass(_ format: PixelFormat) throws {
    let picture = resamplePicture(120, 80, format)
    let cover = try Resize(resampleArguments(Resize.self, [.integer(30), .integer(40)]))
    let all = try Resize(resampleArguments(Resize.self, [.integer(60), .integer(40)]))
    let cut = try cover.resample(picture)
    let scaled = try all.resample(picture)
    let bands = format.bands
    var expected: [Int] = []
    for y in 0..<40 {
      let row = y * 60
      expected += scaled[(row + 15) * bands..<(row + 45) * bands]
    }
    #expect(cut == expected)
  }

  @Test("a shrunk input gives nearly the same picture", arguments: [2, 4, 8])
  func shrunkInput(factor: Int) throws {
    // A smooth picture, of a size that no factor divides, and its box-averaged fractions.
    let nominal = PictureLayout(width: 333, height: 221, format: .gray8)
    func value(_ x: Double, _ y: Double) -> Int { Int(x * 0.5 + y * 0.3 + 10) }
    let full = PixelBuffer(nominal)
    for y in 0..<221 {
      for x in 0..<333 { RowSamples.store(value(Double(x) + 0.5, Double(y) + 0.5), full.row(y), x, .u8) }
    }
    let small = PixelBuffer(nominal.with(width: (333 + factor - 1) / factor, height: (221 + factor - 1) / factor))
    for y in 0..<small.layout.height {
      for x in 0..<small.layout.width {
        let centre = (x: (Double(x) + 0.5) * Double(factor), y: (Double(y) + 0.5) * Double(factor))
        RowSamples.store(value(centre.x, centre.y), small.row(y), x, .u8)
      }
    }
    let resize = try Resize(resampleArguments(Resize.self, [.integer(20), .integer(20)]))
    #expect(resize.shrinkTolerance(of: nominal) >= Double(factor))
    let expected = try resize.resample(full)
    let source = try resize.reading(ShrinkOnLoad(factor: factor)).open(
      [BufferSource(small)], nominal: [nominal], context: .serial)
    #expect(source.layout.width == 20 && source.layout.height == 20)
    let result = try resampledSamples(of: source)
    #expect(zip(expected, result).allSatisfy { abs($0 - $1) <= 2 })
  }

  @Test("a region of a picture shrunk on load is found to the pixel", arguments: [2, 4, 8], 0..<8)
  func regionAfterShrinkOnLoad(factor: Int, offset: Int) throws {
    // A slope: what is a pixel off across is 64 levels off, a pixel down 128.
    let format = PixelFormat(.u16, .gray)
    func slope(_ width: Int, _ height: Int, _ factor: Double) -> PixelBuffer {
      let buffer = PixelBuffer(PictureLayout(width: width, height: height, format: format))
      for y in 0..<height {
        for x in 0..<width {
          let value = (Double(x) + 0.5) * factor + (Double(y) + 0.5) * factor * 2
          RowSamples.store(Int(value * 64), buffer.row(y), x, .u16)
        }
      }
      return buffer
    }
    let nominal = PictureLayout(width: 160, height: 128, format: format)
    let place = Region(left: 80 + offset, top: 40 + 7 - offset, width: 160, height: 128)
    let full = Crop(place)
    let resize = try Resize(resampleArguments(Resize.self, [.integer(10), .integer(8)]))
    let whole = slope(320, 240, 1)
    let cut = try full.open([BufferSource(whole)], nominal: [whole.layout], context: .serial)
    let expected = try resampledSamples(of: resize.open([cut], nominal: [nominal], context: .serial))
    let rows = slope(320 / factor, 240 / factor, Double(factor))
    let shrink = ShrinkOnLoad(factor: factor, left: place.left, top: place.top)
    let result = try resampledSamples(
      of: resize.reading(shrink).open(
        [BufferSource(rows)], nominal: [nominal], context: .serial))
    // Away from the edges, where the whole picture's pixels count, too. Lanczos with two samples a target pixel,
    // as at 1/8, leaves up to 4.4 levels of this slope in Double as well.
    for y in 3..<5 { for x in 3..<7 { #expect(abs(expected[y * 10 + x] - result[y * 10 + x]) <= 5) } }
  }

  /// Samples at the first pixel of each square, as wavelets leave them, give the picture in its place, however it is
  /// turned and cut.
  @Test("cosited samples are put in their place", arguments: [2, 4, 8], Orientation.allCases)
  func cositedSamples(factor: Int, turning: Orientation) throws {
    let format = PixelFormat(.u16, .gray)
    func slope(_ width: Int, _ height: Int, _ value: (Double, Double) -> Double) -> PixelBuffer {
      let buffer = PixelBuffer(PictureLayout(width: width, height: height, format: format))
      for y in 0..<height {
        for x in 0..<width { RowSamples.store(Int(value(Double(x), Double(y)) * 64), buffer.row(y), x, .u16) }
      }
      return buffer
    }
    func turned(_ buffer: PixelBuffer) throws -> PixelBuffer {
      try OrientedSource.open(BufferSource(buffer), turning, .serial).readAll(.serial)
    }
    let (width, height) = (256, 192)
    let full = slope(width, height) { $0 + 0.5 + ($1 + 0.5) * 2 }
    let rows = slope(width / factor, height / factor) {
      $0 * Double(factor) + 0.5 + ($1 * Double(factor) + 0.5) * 2
    }
    let cosited = ShrinkOnLoad(factor: factor, lead: .cosited(factor: factor))
    let shrink = cosited.turned(turning, nominal: full.layout, rows: rows.layout)
    let upright = try turned(full)
    let resize = try Resize(resampleArguments(Resize.self, [.integer(8), .integer(8)], [("fit", .text("fill"))]))
    let expected = try resampledSamples(
      of: resize.open([BufferSource(upright)], nominal: [upright.layout], context: .serial))
    let result = try resampledSamples(
      of: resize.reading(shrink).open(
        [BufferSource(try turned(rows))], nominal: [upright.layout], context: .serial))
    for y in 3..<5 { for x in 3..<5 { #expect(abs(expected[y * 8 + x] - result[y * 8 + x]) <= 5) } }
  }

  @Test("contain pads with the background") func contain() throws {
    let picture = resamplePicture(40, 20, .rgb8)
    let resize = try Resize(
      resampleArguments(
        Resize.self, [.integer(20), .integer(20)],
        [("fit", .text("contain")), ("background", .text("#ff000080"))]))
    let layout = try resize.outputLayout(of: [picture.layout])
    #expect(layout.format == .rgba8)
    let result = try resize.resample(picture)
    #expect(Array(result[0..<4]) == [255, 0, 0, 128])
    #expect(Array(result[(19 * 20 + 19) * 4..<20 * 20 * 4]) == [255, 0, 0, 128])
    #expect(result[(10 * 20 + 3) * 4 + 3] == 255)
  }

  @Test("same size passes pixels through") func identity() throws {
    let picture = resamplePicture(31, 17, .rgba8)
    let expected = try resampledSamples(of: BufferSource(picture))
    #expect(
      try Resize(resampleArguments(Resize.self, [.integer(31)])).resample(picture) == expected)
    #expect(
      try Thumbnail(resampleArguments(Thumbnail.self, [.integer(500)])).resample(picture)
        == expected)
  }

  @Test("nearest copies pixels, alpha and all") func nearest() throws {
    let picture = resamplePicture(10, 9, .rgba8)
    let expected = try resampledSamples(of: BufferSource(picture))
    let resize = try Resize(
      resampleArguments(Resize.self, [.integer(20), .integer(18)], [("kernel", .text("nearest"))]))
    let result = try resize.resample(picture)
    for y in 0..<18 {
      for x in 0..<20 {
        let (to, from) = ((y * 20 + x) * 4, (y / 2 * 10 + x / 2) * 4)
        #expect(result[to..<to + 4] == expected[from..<from + 4])
      }
    }
    #expect(resize.shrinkTolerance(of: picture.layout) == 1)
  }

  @Test("strategies keep the busy part", arguments: ["entropy", "attention"])
  func strategies(_ name: String) throws {
    // Flat but for a patch of colours near the right end.
    let picture = resamplePicture(300, 60, .rgb8)
    for y in 0..<60 {
      for x in 0..<300 where !(210..<260).contains(x) {
        for band in 0..<3 { RowSamples.store(90, picture.row(y), x * 3 + band, .u8) }
      }
    }
    let fill = try Fill(resampleArguments(Fill.self, [.integer(60), .integer(60)], [("position", .text(name))]))
    let result = try fill.resample(picture)
    let busy = result.count { $0 != 90 }
    // `vips smartcrop` of 8.14 puts attention at column 185, which keeps 35 columns of the patch.
    #expect(busy > 34 * 60 * 3)
  }

  @Test("neither side is a mistake; huge results are refused") func errors() throws {
    #expect(throws: OperationError.self) { try Resize(resampleArguments(Resize.self)) }
    let resize = try Resize(resampleArguments(Resize.self, [.integer(1_000_000)]))
    let tall = PictureLayout(width: 10, height: 2000, format: .gray8)
    #expect(throws: OperationError.self) { try resize.outputLayout(of: [tall]) }
  }

  @Test("short forms are resize with options fixed") func shortForms() throws {
    let layout = PictureLayout(width: 300, height: 200, format: .rgb8)
    func size(_ operation: any PictureOperation) throws -> [Int] {
      let layout = try operation.outputLayout(of: [layout])
      return [layout.width, layout.height]
    }
    #expect(
      try size(Fill(resampleArguments(Fill.self, [.integer(50), .integer(50)]))) == [50, 50])
    #expect(try size(Fit(resampleArguments(Fit.self, [.integer(50), .integer(50)]))) == [50, 33])
    #expect(
      try size(Fit(resampleArguments(Fit.self, [.integer(600), .integer(600)]))) == [600, 400])
    #expect(try size(Thumbnail(resampleArguments(Thumbnail.self, [.integer(150)]))) == [150, 100])
    #expect(try size(Thumbnail(resampleArguments(Thumbnail.self, [.integer(900)]))) == [300, 200])
  }
}
