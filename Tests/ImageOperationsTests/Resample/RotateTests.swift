import ImageCore
import Testing

@testable import ImageOperations

@Suite("Rotate") struct RotateTests {
  static let formats: [PixelFormat] = [
    .gray8, .rgb8, .rgba8, PixelFormat(.u8, .gray, alpha: true), PixelFormat(.u16, .gray),
    PixelFormat(.u16, .gray, alpha: true), PixelFormat(.u16, .rgb),
    PixelFormat(.u16, .rgb, alpha: true),
  ]

  private func rotate(_ angle: Double, _ named: [(name: String, value: ParameterValue)] = []) throws -> Rotate {
    try Rotate(resampleArguments(Rotate.self, [.number(angle)], named))
  }

  @Test("right angles move pixels exactly", arguments: formats)
  func rightAngles(_ format: PixelFormat) throws {
    let picture = resamplePicture(45, 37, format)
    let (width, height, bands) = (45, 37, format.bands)
    let source = try resampledSamples(of: BufferSource(picture))
    func pixel(_ x: Int, _ y: Int) -> ArraySlice<Int> {
      source[(y * width + x) * bands..<(y * width + x + 1) * bands]
    }
    let clockwise = (0..<width).flatMap { y in
      (0..<height).flatMap { x in pixel(y, height - 1 - x) }
    }
    let half = (0..<height).flatMap { y in
      (0..<width).flatMap { x in pixel(width - 1 - x, height - 1 - y) }
    }
    let counter = (0..<width).flatMap { y in
      (0..<height).flatMap { x in pixel(width - 1 - y, x) }
    }
    #expect(try rotate(0).resample(picture) == source)
    #expect(try rotate(-720).resample(picture) == source)
    for strip in [1, 3, 64] {
      #expect(try rotate(90).resample(picture, strip: strip) == clockwise)
      #expect(try rotate(180).resample(picture, strip: strip) == half)
      #expect(try rotate(-90).resample(picture, strip: strip) == counter)
    }
  }

  @Test(
    "canvas sizes are libvips'",
    arguments: [
      (30.0, 360, 323), (45, 354, 354), (-10, 330, 249), (89.5, 203, 302),
    ])
  func canvas(_ angle: Double, _ width: Int, _ height: Int) throws {
    // As `vips similarity` of 8.14 makes of 300 x 200.
    let layout = PictureLayout(width: 300, height: 200, format: .rgb8)
    let result = try rotate(angle).outputLayout(of: [layout])
    #expect((result.width, result.height) == (width, height))
    let kept = try rotate(angle, [("expand", .boolean(false))]).outputLayout(of: [layout])
    #expect(kept == layout)
  }

  @Test("there and back is nearly the same picture", arguments: ["linear", "cubic", "lanczos3"])
  func thereAndBack(_ kernel: String) throws {
    let layout = PictureLayout(width: 80, height: 80, format: .gray8)
    let picture = PixelBuffer(layout)
    for y in 0..<80 { for x in 0..<80 { RowSamples.store(x + y + 20, picture.row(y), x, .u8) } }
    let options: [(name: String, value: ParameterValue)] = [("kernel", .text(kernel)), ("expand", .boolean(false))]
    let turned = try rotate(20, options).open([BufferSource(picture)], nominal: [layout], context: .serial)
    let back = try rotate(-20, options).open([turned], nominal: [layout], context: .serial)
    let result = try resampledSamples(of: back)
    for y in 25..<55 { for x in 25..<55 { #expect(abs(result[y * 80 + x] - (x + y + 20)) <= 1) } }
  }

  @Test("corners are the background") func background() throws {
    let picture = resamplePicture(40, 30, .rgb8)
    let black = try rotate(30).resample(picture)
    #expect(Array(black[0..<3]) == [0, 0, 0])
    let red = rotateLayout(try rotate(30, [("background", .text("#ff000080"))]), picture)
    #expect(red.layout.format == .rgba8)
    #expect(Array(red.samples[0..<4]) == [255, 0, 0, 128])
    let clear = try rotate(30).resample(resamplePicture(40, 30, .rgba8))
    #expect(Array(clear[0..<4]) == [0, 0, 0, 0])
  }

  private func rotateLayout(_ rotate: Rotate, _ picture: PixelBuffer) -> (layout: PictureLayout, samples: [Int]) {
    guard let layout = try? rotate.outputLayout(of: [picture.layout]), let samples = try? rotate.resample(picture)
    else { preconditionFailure("rotates") }
    return (layout, samples)
  }

  @Test("a flat opaque picture stays flat inside") func flat() throws {
    for format in Self.formats {
      let picture = PixelBuffer(PictureLayout(width: 60, height: 60, format: format))
      let top = format.sample.maximum
      for y in 0..<60 {
        for index in 0..<60 * format.bands { RowSamples.store(top, picture.row(y), index, format.sample) }
      }
      let rotate = try rotate(33)
      let width = try rotate.outputLayout(of: [picture.layout]).width
      let result = try rotate.resample(picture)
      let middle = (width / 2 * width + width / 2) * format.bands
      #expect(result[middle..<middle + format.bands].allSatisfy { $0 == top })
    }
  }

  @Test("strips and workers do not change a byte") func workers() throws {
    let picture = resamplePicture(70, 50, .rgba8)
    for angle in [90.0, 12.5] {
      let whole = try rotate(angle).resample(picture, strip: 64)
      for strip in [1, 3] { #expect(try rotate(angle).resample(picture, strip: strip) == whole) }
      for context in [OperationContext.backwards, .threads] {
        #expect(try rotate(angle).resample(picture, strip: 64, context: context) == whole)
      }
    }
  }
}
