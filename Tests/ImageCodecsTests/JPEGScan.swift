import CTestJPEG
import Foundation
import ImageCore
import JPEGDecoding

@testable import ImageCodecs

/// A way to encode a picture in one scan.
struct JPEGScan: CustomStringConvertible {
  var across = 1
  var down = 1
  var quality = 85
  var restartInterval = 0
  var optimise = false

  var description: String {
    "\(across)x\(down) quality \(quality) restarts \(restartInterval) optimised \(optimise)"
  }

  func encode(_ pixels: Pixels) -> [UInt8] {
    var count = 0
    let layout = pixels.layout
    guard
      let bytes = test_jpeg_encode_scan(
        pixels.bytes, Int32(layout.width), Int32(layout.height), Int32(layout.format.bands),
        Int32(quality), Int32(across), Int32(down), Int32(restartInterval), optimise ? 1 : 0,
        &count)
    else { return [] }
    defer { free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}

/// The result of decoding: the rows until an error, and the error's message.
struct DecodedRows: CustomStringConvertible {
  var bytes: [UInt8] = []
  var error = ""
  /// Whether libjpeg decoded the picture, at least its end.
  var usedLibjpeg = true

  /// - Parameter region: chosen when the size of the shrunk picture is known.
  init(
    _ file: [UInt8], shrink: Int, acceptsDamage: Bool = false, _ choice: JPEGDecoderChoice,
    region: ((_ width: Int, _ height: Int) -> Region)? = nil, workers: DecodingWorkers? = nil, stripRows: Int = 3
  ) {
    do {
      let reader = try JPEGReader(.bytes(file), acceptsDamage: acceptsDamage)
      let side = { ($0 + shrink - 1) / shrink }
      let decoder = try JPEGDecoder(
        reader, shrink: shrink, region: region.map { $0(side(reader.layout.width), side(reader.layout.height)) },
        workers: workers, choice: choice)
      let layout = decoder.layout
      var row = [UInt8](repeating: 0, count: layout.rowByteCount * stripRows)
      var done = 0
      while done < layout.height {
        // Strips of one, two, three rows: the borders of MCUs fall anywhere in them.
        let count = min(done % stripRows + 1, layout.height - done)
        try row.withUnsafeMutableBytes {
          try decoder.read(count, into: $0.baseAddress!, stride: layout.rowByteCount)
        }
        bytes += row[..<(count * layout.rowByteCount)]
        done += count
        usedLibjpeg = decoder.usesLibjpeg
      }
    } catch { self.error = "\(error)" }
  }

  /// Whether both have the same error, or the same rows without an error. Before an error, one of them may have a few
  /// more rows.
  func agrees(with other: DecodedRows) -> Bool {
    guard error == other.error else { return false }
    let common = error.isEmpty ? max(bytes.count, other.bytes.count) : min(bytes.count, other.bytes.count)
    return bytes.prefix(common) == other.bytes.prefix(common)
  }

  /// A short description, so that a failing test does not print all pixels.
  var description: String {
    let sum = bytes.reduce(UInt64(0)) { $0 &* 31 &+ UInt64($1) }
    return "\(bytes.count) bytes, sum \(sum), \(usedLibjpeg ? "libjpeg" : "own"), \(error)"
  }
}

extension Pixels {
  /// Noise between flat squares, so that blocks of all kinds occur.
  static func random(_ width: Int, _ height: Int, _ format: PixelFormat, _ random: inout Xorshift) -> Pixels {
    let layout = PictureLayout(width: width, height: height, format: format)
    let seed = random.next()
    let amplitude = [0, 6, 60, 255][Int(random.next() % 4)]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(layout.byteCount)
    for y in 0..<height {
      for x in 0..<width {
        for band in 0..<format.bands {
          let square = seed &* UInt64(x / 11 + y / 7 * 31 + band + 1) >> 17
          let noise = Int(random.next() >> 11) % (amplitude + 1) - amplitude / 2
          bytes.append(UInt8(clamping: Int(square & 255) + noise))
        }
      }
    }
    return Pixels(layout: layout, bytes: bytes)
  }
}
