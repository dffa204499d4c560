import Foundation
import ImageCodecs
import ImageCore

/// An 8-bit picture in memory, with rows without padding.
public struct Pixels: Equatable {
  public let layout: PictureLayout
  public var bytes: [UInt8]

  public var width: Int { layout.width }
  public var height: Int { layout.height }
  public var bands: Int { layout.bands }

  public init(_ width: Int, _ height: Int, _ format: PixelFormat = .rgb8, _ pixel: (Int, Int) -> [UInt8]) {
    layout = PictureLayout(width: width, height: height, format: format)
    bytes = []
    bytes.reserveCapacity(layout.byteCount)
    for y in 0..<height { for x in 0..<width { bytes += pixel(x, y) } }
  }

  /// Reads a source to its end.
  public init(_ source: any RowSource) throws {
    layout = source.layout
    let row = layout.rowByteCount
    var all = [UInt8](repeating: 0, count: layout.byteCount)
    let height = layout.height
    try all.withUnsafeMutableBytes { buffer in
      for y in 0..<height { try source.read(1, into: buffer.baseAddress! + y * row, stride: row) }
    }
    bytes = all
  }

  /// Decodes a file like the pipeline, with the codec that recognizes its beginning.
  public init(file path: String) throws {
    let file = try InputFile(path: path)
    let codec = try CodecList.recognise(file)
    let header = try codec.readHeader(file)
    try self.init(try codec.makeDecoder(file, header: header, options: DecodeOptions()))
  }

  public init(jpeg bytes: [UInt8]) throws { try self.init(try JPEGCodec().makeDecoder(bytes)) }

  public subscript(x: Int, y: Int) -> [UInt8] {
    let start = (y * width + x) * bands
    return Array(bytes[start..<start + bands])
  }

  /// Returns smooth waves that differ in each band, so that the orientation of the picture is visible.
  public static func waves(_ width: Int, _ height: Int, _ format: PixelFormat = .rgb8) -> Pixels {
    Pixels(width, height, format) { x, y in
      (0..<format.bands).map { band in
        let wave = sin(Double(x) / 9 + Double(band)) * cos(Double(y) / 17 - Double(band))
        return UInt8((wave * 0.5 + 0.5) * 200 + Double(x) / Double(width) * 55)
      }
    }
  }

  public func encoded(
    _ codec: any PictureCodec, _ options: [(String, ParameterValue)] = [], metadata: PictureMetadata = PictureMetadata()
  ) throws -> [UInt8] {
    let arguments = try Arguments(
      RawArguments(named: options.map { (name: $0.0, value: $0.1) }),
      parameters: codec.saveParameters, positionalCount: 0)
    let sink = PooledSink(reserving: 1 << 16)
    let encoder = try codec.makeEncoder(to: sink, layout: layout, metadata: metadata, arguments: arguments)
    try bytes.withUnsafeBytes { buffer in
      try encoder.write(layout.height, from: buffer.baseAddress!, stride: layout.rowByteCount)
    }
    try encoder.finish()
    return sink.bytes.withUnsafeBytes { Array($0) }
  }

  public func jpeg(_ quality: Int = 95) throws -> [UInt8] {
    try encoded(JPEGCodec(), [("quality", .integer(quality)), ("subsampling", .text("4:4:4"))])
  }

  public func png() throws -> [UInt8] { try encoded(PNGCodec()) }

  /// Returns the peak signal-to-noise ratio in decibels compared with unrounded values; 0 for another size.
  public func psnr(_ reference: [Double]) -> Double {
    guard reference.count == bytes.count else { return 0 }
    var squares = 0.0
    for (value, meant) in zip(bytes, reference) { squares += (Double(value) - meant) * (Double(value) - meant) }
    return squares == 0 ? .infinity : 10 * log10(255 * 255 * Double(bytes.count) / squares)
  }

  public func psnr(_ other: Pixels) -> Double {
    layout == other.layout ? psnr(other.bytes.map(Double.init)) : 0
  }
}
