import ImageCodecs
import ImageCore

/// Large pictures, composed of different photographs side by side.
enum LargeInput: String {
  /// A picture of 20000x15000 pixels, composed of 25 photographs.
  case jpeg = "large.jpg"
  /// The same picture with a restart marker before each row of MCUs.
  case restarts = "large-restarts.jpg"
  /// A picture of 8000x6000 pixels, composed of 4 photographs.
  case png = "large.png"

  var title: String {
    switch self {
    case .jpeg: "one JPEG of 300 MP"
    case .restarts: "one JPEG of 300 MP with restart markers"
    case .png: "one PNG of 48 MP"
    }
  }
  private var side: Int { self == .png ? 2 : 5 }
  private static let (tileWidth, tileHeight) = (4000, 3000)

  /// Creates the file if it is missing, and returns its path.
  func path(_ bench: Bench) throws(BenchFailure) -> String {
    let path = bench.inputs.folder + "/" + rawValue
    if RawFile.exists(path) { return path }
    BenchProgram.message("making \(title)")
    let part = path + ".part"
    if self == .restarts {
      let command = ["jpegtran", "-restart", "1", "-outfile", part, try Self.jpeg.path(bench)]
      guard Measurement(command) != nil else { throw .failed("jpegtran, of Debian's package libjpeg-turbo-progs") }
    } else {
      let photos = try bench.inputs.neededPhotos()
      let count = side * side
      let tiles = (0..<count).map { photos[$0 * photos.count / count] }
      guard Measurement(Subprocess.largeInput.command([rawValue, part] + tiles)) != nil else { throw .noInput(title) }
    }
    guard Measurement(["mv", part, path]) != nil else { throw .noInput(title) }
    return path
  }

  /// Runs the subprocess with the arguments `KIND RESULT PHOTO…`.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 2, let kind = LargeInput(rawValue: arguments[0]),
      let bytes = try? kind.encoded(Array(arguments[2...]))
    else { return 1 }
    return bytes.withUnsafeBytes { RawFile.write($0.baseAddress!, count: $0.count, to: arguments[1]) ? 0 : 1 }
  }

  /// Returns the file's bytes; nil if the photographs are too small.
  private func encoded(_ photos: [String]) throws -> EncodedBytes? {
    let width = side * Self.tileWidth
    let layout = PictureLayout(width: width, height: side * Self.tileHeight, format: .rgb8)
    let codec: any PictureCodec = self == .png ? PNGCodec() : JPEGCodec()
    let options: [(name: String, value: ParameterValue)] =
      self == .png ? [] : [("quality", .integer(90)), ("subsampling", .text("4:2:0"))]
    let arguments = try Arguments(RawArguments(named: options), parameters: codec.saveParameters, positionalCount: 0)
    let sink = PooledSink(reserving: 1 << 20)
    let encoder = try codec.makeEncoder(to: sink, layout: layout, metadata: PictureMetadata(), arguments: arguments)
    var band = [UInt8](repeating: 0, count: width * Self.tileHeight * 3)
    for row in 0..<side {
      for column in 0..<side {
        guard let tile = DecodedJPEG(photos[row * side + column]), tile.width >= Self.tileWidth,
          tile.height >= Self.tileHeight
        else { return nil }
        for y in 0..<Self.tileHeight {
          let target = (y * width + column * Self.tileWidth) * 3
          let source = tile.samples[y * tile.width * 3..<(y * tile.width + Self.tileWidth) * 3]
          band.replaceSubrange(target..<target + source.count, with: source)
        }
      }
      try band.withUnsafeBytes {
        try encoder.write(Self.tileHeight, from: $0.baseAddress!, stride: layout.rowByteCount)
      }
    }
    try encoder.finish()
    return sink.bytes
  }
}
