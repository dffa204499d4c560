import ImageCodecs
import ImageCore
import TestSupport
import Testing

/// Parts of pictures are the same as cutting them out of the whole.
@Suite struct RegionTests {
  /// Coarse noise: neighbours differ, so that smoothing across a cut would show.
  private static func noise(_ width: Int, _ height: Int, _ format: PixelFormat) -> Pixels {
    var state: UInt32 = 12_345
    let layout = PictureLayout(width: width, height: height, format: format)
    let bytes = (0..<layout.byteCount).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(truncatingIfNeeded: state >> 24)
    }
    return Pixels(layout: layout, bytes: bytes)
  }

  private static func cut(_ whole: Pixels, _ region: Region) -> Pixels {
    let pixel = whole.layout.format.bytesPerPixel
    var bytes: [UInt8] = []
    for y in region.top..<region.bottom {
      let row = y * whole.layout.rowByteCount
      bytes += whole.bytes[row + region.left * pixel..<row + region.right * pixel]
    }
    return Pixels(layout: whole.layout.with(width: region.width, height: region.height), bytes: bytes)
  }

  /// Every corner, every place within a unit of 16x16 pixels, and parts as small as one pixel.
  private static func regions(_ width: Int, _ height: Int) -> [Region] {
    var regions = [
      Region(left: 0, top: 0, width: width, height: height),
      Region(left: 0, top: 0, width: 1, height: 1),
      Region(left: width - 1, top: height - 1, width: 1, height: 1),
      Region(left: width - 1, top: 0, width: 1, height: height),
      Region(left: 0, top: height - 1, width: width, height: 1),
    ]
    var state: UInt32 = 99
    func below(_ limit: Int) -> Int {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Int(state >> 8) % limit
    }
    for step in 0..<40 {
      let left = min(width - 1, step + below(max(1, width - 40)))
      let top = min(height - 1, step + below(max(1, height - 40)))
      regions.append(Region(left: left, top: top, width: 1 + below(width - left), height: 1 + below(height - top)))
    }
    return regions
  }

  private func check(_ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()) throws {
    try withTemporaryFile(bytes) { path in
      let whole = try decode(path, options)
      for region in Self.regions(whole.layout.width, whole.layout.height) {
        var part = options
        part.region = region
        let rows = try decode(path, part)
        #expect(rows == Self.cut(whole, region), "\(region)")
      }
    }
  }

  @Test(arguments: isWhole ? ["4:4:4", "4:2:2", "4:2:0"] : ["4:2:0"], [false, true])
  func jpeg(subsampling: String, progressive: Bool) throws {
    let bytes = try encode(
      Self.noise(203, 149, .rgb8), JPEGCodec(),
      [
        ("quality", .integer(92)), ("subsampling", .text(subsampling)),
        ("progressive", .boolean(progressive)),
      ])
    try check(bytes)
    try check(bytes, DecodeOptions(acceptsDamage: true))
    for shrink in [2, 4, 8] { try check(bytes, DecodeOptions(shrink: shrink)) }
  }

  @Test func grayJPEG() throws {
    try check(try encode(Self.noise(150, 131, .gray8), JPEGCodec()))
  }

  @Test(arguments: Fixture.jpegs) func fixtures(name: String) throws {
    for shrink in [1, 2, 4, 8] { try check(Fixture.bytes(name), DecodeOptions(shrink: shrink)) }
  }

  @Test(arguments: [false, true]) func png(interlaced: Bool) throws {
    let options: [(String, ParameterValue)] = [("interlaced", .boolean(interlaced))]
    try check(try encode(Self.noise(97, 83, .rgba8), PNGCodec(), options))
    try check(try encode(Self.noise(90, 60, PixelFormat(.u16, .gray)), PNGCodec(), options))
  }

  @Test func anotherPictureIsRefused() throws {
    let bytes = try encode(Self.noise(64, 48, .rgb8), JPEGCodec())
    try withTemporaryFile(bytes) { path in
      let file = try InputFile(path: path)
      let header = try JPEGCodec().readHeader(file)
      let other = PictureHeader(
        codec: "jpeg", layout: header.layout.with(width: 65, height: 48),
        metadata: PictureMetadata())
      let region = Region(left: 60, top: 0, width: 5, height: 5)
      #expect(throws: PictureError.codec(.changed)) {
        _ = try JPEGCodec().makeDecoder(
          file, header: other, options: DecodeOptions(region: region))
      }
    }
  }
}
