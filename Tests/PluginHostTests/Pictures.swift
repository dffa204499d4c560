import ImageCore
import PluginHost

/// A picture as plain samples, for tests.
struct Picture: Equatable {
  var layout: PictureLayout
  var samples: [Int]

  init(_ width: Int, _ height: Int, _ format: PixelFormat, _ sample: (_ x: Int, _ y: Int, _ band: Int) -> Int) {
    layout = PictureLayout(width: width, height: height, format: format)
    samples = []
    for y in 0..<height {
      for x in 0..<width { for band in 0..<format.bands { samples.append(sample(x, y, band)) } }
    }
  }

  /// Creates a picture whose samples are all the same.
  init(_ width: Int, _ height: Int, _ format: PixelFormat, all value: Int) {
    self.init(width, height, format) { _, _, _ in value }
  }

  subscript(x: Int, y: Int, band: Int) -> Int {
    samples[(y * layout.width + x) * layout.bands + band]
  }

  /// Reads a source to its end, in strips of seven rows.
  init(reading source: any RowSource) throws {
    layout = source.layout
    samples = []
    let strip = PixelBuffer(layout.with(width: layout.width, height: 7))
    var row = 0
    while row < layout.height {
      let count = min(7, layout.height - row)
      try source.read(count, into: strip.base, stride: strip.stride)
      for index in 0..<count { samples += Self.samples(strip.row(index), layout) }
      row += count
    }
  }

  var source: BufferSource {
    let buffer = PixelBuffer(layout)
    let perRow = layout.width * layout.bands
    for y in 0..<layout.height {
      for i in 0..<perRow {
        let value = samples[y * perRow + i]
        if layout.format.sample == .u8 {
          buffer.row(y).storeBytes(of: UInt8(value), toByteOffset: i, as: UInt8.self)
        } else {
          buffer.row(y).storeBytes(of: UInt16(value), toByteOffset: i * 2, as: UInt16.self)
        }
      }
    }
    return BufferSource(buffer)
  }

  private static func samples(_ row: UnsafeRawPointer, _ layout: PictureLayout) -> [Int] {
    (0..<layout.width * layout.bands).map { i in
      layout.format.sample == .u8
        ? Int(row.load(fromByteOffset: i, as: UInt8.self))
        : Int(row.load(fromByteOffset: i * 2, as: UInt16.self))
    }
  }
}

extension OperationDefinition {
  /// Creates the operation from options, and runs it.
  func run(
    _ picture: Picture, _ options: [(name: String, value: ParameterValue)] = [], _ context: OperationContext = .serial
  ) throws -> Picture {
    let operation = try make(Arguments(RawArguments(named: options), for: descriptor))
    let expected = try operation.outputLayout(of: [picture.layout])
    let source = try operation.open([picture.source], nominal: [picture.layout], context: context)
    precondition(source.layout == expected)
    return try Picture(reading: source)
  }

  /// Runs the operation. Returns the error as the pipeline would report it; nil for success.
  func failure(_ picture: Picture = Picture(16, 16, .rgb8, all: 100), _ context: OperationContext = .serial) -> String?
  {
    do {
      _ = try run(picture, [], context)
      return nil
    } catch let error as PictureError {
      return error.description
    } catch {
      return "\(error)"
    }
  }
}

extension String {
  /// The text with each address of more than two digits replaced by `0x…`, because addresses differ from run to run.
  var withoutAddresses: String { replacing(/0x[0-9a-f]{3,}/, with: "0x…") }
}
