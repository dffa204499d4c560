import CZlib
import ImageCore

/// Encodes PNG files of a few pixels for use inside texts.
package enum SmallPNG {
  /// Returns a file with 8 bits per sample in sRGB, compressed as far as possible.
  ///
  /// - Parameters:
  ///   - samples: the red, green and blue of each pixel, row by row; with alpha if there are four samples per pixel.
  package static func encoded(width: Int, height: Int, samples: [UInt8]) -> [UInt8] {
    let bands = samples.count / (width * height)
    precondition((3...4).contains(bands) && samples.count == width * height * bands)
    let filter = RowFilter(RowFilter.Bands(width: width, sampleBytes: 1, bands: 0..<bands, of: bands))
    let compressor = RowCompressor(filter, height: height, effort: .level(9))
    var data: [UInt8] = []
    do throws(PictureError) {
      try samples.withUnsafeBufferPointer { (rows) throws(PictureError) in
        try compressor.add(height, from: rows.baseAddress!, stride: width * bands) { data += $0 }
      }
      try compressor.finish { data += $0 }
    } catch {
      preconditionFailure("memory takes any bytes: \(error)")
    }
    let header = bigEndian(width) + bigEndian(height) + [8, bands == 4 ? 6 : 2, 0, 0, 0]
    return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
      + chunk("IHDR", header) + chunk("IDAT", data) + chunk("IEND", [])
  }

  /// Returns a chunk with its checksum. Wraps `crc32`.
  private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    let checksum = body.withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32($0.count)) }
    return bigEndian(data.count) + body + bigEndian(Int(checksum))
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
