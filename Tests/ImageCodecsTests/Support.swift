import CReferencePNG
import Foundation
import ImageCodecs
import ImageCore
import TestSupport

/// The committed files next to the tests.
enum Fixture {
  static let folder = Bundle.module.resourceURL!.appendingPathComponent("Fixtures").path

  static func path(_ name: String) -> String { folder + "/" + name }
  static func bytes(_ name: String) -> [UInt8] { readBytes(path(name)) }
  static let jpegs = [
    "baseline-420.jpg", "exif-icc-444.jpg", "progressive-422.jpg", "gray.jpg", "cmyk-adobe.jpg",
    "cmyk-plain.jpg", "ycck-adobe.jpg",
  ]
  static let pngs = ["exif-icc.png", "palette.png"]
  /// The formats that hold EXIF.
  static let codecsWithEXIF: [any PictureCodec] = [JPEGCodec(), PNGCodec()]
}

/// A folder of broken and unusual pictures that is not committed: `IMGHOST_CORPUS`, or `shared/corpus` in a folder
/// above the checkout. Nil if there is none; the tests that need it are then skipped.
enum Corpus {
  static let folder: String? = {
    let manager = FileManager.default
    if let given = ProcessInfo.processInfo.environment["IMGHOST_CORPUS"] { return given }
    var folder = URL(fileURLWithPath: #filePath)
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let candidate = folder.appendingPathComponent("shared/corpus").path
      if manager.fileExists(atPath: candidate) { return candidate }
    }
    return nil
  }()

  static func files(_ name: String) -> [String] {
    guard let folder else { return [] }
    let path = folder + "/" + name
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.sorted().map { path + "/" + $0 }
  }
}

func readBytes(_ path: String) -> [UInt8] { [UInt8](FileManager.default.contents(atPath: path) ?? Data()) }

/// A picture in memory, with rows without padding.
struct Pixels: Equatable {
  let layout: PictureLayout
  var bytes: [UInt8]

  /// The samples as numbers, of 8 or 16 bits.
  var samples: [Int] {
    if layout.format.sample == .u8 { return bytes.map(Int.init) }
    return bytes.withUnsafeBytes { $0.bindMemory(to: UInt16.self).map(Int.init) }
  }

  /// Returns the peak signal-to-noise ratio in decibels.
  func psnr(_ other: Pixels) -> Double {
    let squares = zip(samples, other.samples).reduce(0.0) { sum, pair in
      let difference = Double(pair.0 - pair.1)
      return sum + difference * difference
    }
    let peak = Double(layout.format.sample.maximum)
    return squares == 0 ? .infinity : 10 * log10(peak * peak * Double(samples.count) / squares)
  }

  /// Returns smooth waves that differ in each band, as 8- or 16-bit samples.
  static func waves(_ width: Int, _ height: Int, _ format: PixelFormat) -> Pixels {
    let layout = PictureLayout(width: width, height: height, format: format)
    let peak = Double(format.sample.maximum)
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        for band in 0..<format.bands {
          let wave = sin(Double(x) / 9 + Double(band)) * cos(Double(y) / 7 - Double(band))
          let value = UInt16(((wave + 1) / 2 * peak).rounded())
          bytes.append(UInt8(truncatingIfNeeded: value))
          if format.sample == .u16 { bytes.append(UInt8(value >> 8)) }
        }
      }
    }
    return Pixels(layout: layout, bytes: bytes)
  }
}

/// Reads a source to its end, `strip` rows at a time, with padding between rows.
func readAll(_ source: any RowSource, strip: Int = 7) throws -> Pixels {
  let layout = source.layout
  let stride = layout.rowByteCount + 5
  var bytes: [UInt8] = []
  bytes.reserveCapacity(layout.byteCount)
  let buffer = UnsafeMutableRawPointer.allocate(byteCount: stride * strip, alignment: 64)
  defer { buffer.deallocate() }
  var row = 0
  while row < layout.height {
    let count = min(strip, layout.height - row)
    try source.read(count, into: buffer, stride: stride)
    for index in 0..<count {
      bytes += UnsafeRawBufferPointer(start: buffer + index * stride, count: layout.rowByteCount)
    }
    row += count
  }
  return Pixels(layout: layout, bytes: bytes)
}

/// Opens, recognizes and decodes a file like the pipeline.
func decode(_ path: String, _ options: DecodeOptions = DecodeOptions()) throws -> Pixels {
  let file = try InputFile(path: path)
  let codec = try CodecList.recognise(file)
  let header = try codec.readHeader(file)
  return try readAll(try codec.makeDecoder(file, header: header, options: options))
}

/// Decodes bytes with the codec that recognizes their beginning.
func decode(_ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()) throws -> Pixels {
  if bytes.first == 0xff { return try readAll(try JPEGCodec().makeDecoder(bytes, options: options)) }
  return try readAll(try PNGCodec().makeDecoder(bytes, options: options))
}

func arguments(_ codec: any PictureCodec, _ options: [(String, ParameterValue)] = []) throws -> Arguments {
  try Arguments(
    RawArguments(named: options.map { (name: $0.0, value: $0.1) }),
    parameters: codec.saveParameters, positionalCount: 0)
}

/// Encodes a picture, `strip` rows at a time.
func encode(
  _ pixels: Pixels, _ codec: any PictureCodec, _ options: [(String, ParameterValue)] = [],
  metadata: PictureMetadata = PictureMetadata(), strip: Int = 5
) throws -> [UInt8] {
  let sink = PooledSink(reserving: 1 << 16)
  let arguments = try arguments(codec, options)
  let encoder = try codec.makeEncoder(
    to: sink, layout: pixels.layout,
    metadata: codec.writtenMetadata(metadata, for: pixels.layout, arguments: arguments).metadata, arguments: arguments)
  try pixels.bytes.withUnsafeBytes { bytes in
    var row = 0
    while row < pixels.layout.height {
      let count = min(strip, pixels.layout.height - row)
      try encoder.write(
        count, from: bytes.baseAddress! + row * pixels.layout.rowByteCount,
        stride: pixels.layout.rowByteCount)
      row += count
    }
  }
  try encoder.finish()
  return sink.bytes.withUnsafeBytes { Array($0) }
}

/// Returns libpng's pixels of a PNG; nil if libpng refuses it.
func reference(_ bytes: [UInt8]) -> Pixels? {
  var width: UInt32 = 0
  var height: UInt32 = 0
  var channels: Int32 = 0
  var bits: Int32 = 0
  guard
    let pixels = bytes.withUnsafeBytes({
      reference_png_decode($0.baseAddress, $0.count, &width, &height, &channels, &bits)
    })
  else { return nil }
  defer { free(pixels) }
  let format = PixelFormat(bits == 16 ? .u16 : .u8, channels < 3 ? .gray : .rgb, alpha: channels == 2 || channels == 4)
  let layout = PictureLayout(width: Int(width), height: Int(height), format: format)
  return Pixels(layout: layout, bytes: Array(UnsafeBufferPointer(start: pixels, count: layout.byteCount)))
}

/// Calls `body` with the path of a file that is removed afterwards.
func withTemporaryFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
  let path = NSTemporaryDirectory() + "imghost-codecs-\(UUID().uuidString)"
  try writeFile(bytes, to: path)
  defer { try? FileManager.default.removeItem(atPath: path) }
  try body(path)
}
