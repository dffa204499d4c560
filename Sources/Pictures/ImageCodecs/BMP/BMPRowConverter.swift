import ImageCore

/// Converts stored rows of a BMP to samples.
struct BMPRowConverter {
  private enum Form {
    case indices
    /// Bytes of blue, green and red, and possibly a fourth byte: 24-bit pixels have none, and in 32-bit pixels it is
    /// alpha or unused.
    case bytes
    case fields
  }

  private let width: Int
  private let bits: Int
  private let format: PixelFormat
  private let fields: [BMPField]
  private let palette: [UInt8]
  private let form: Form

  init(_ header: BMPHeader) {
    width = header.width
    bits = header.bits
    format = header.format
    fields = header.fields
    palette = header.palette
    let bytes = [0xff_0000, 0xff00, 0xff, 0xff00_0000].map { BMPField(mask: $0) }
    let isInBytes = bits >= 24 && zip(fields, bytes).allSatisfy { $0 == $1 }
    form = fields.isEmpty ? .indices : isInBytes ? .bytes : .fields
  }

  func convert(_ row: UnsafeRawPointer, to destination: UnsafeMutableRawPointer) {
    switch form {
    case .indices: convertIndices(row, to: destination)
    case .bytes: convertBytes(row, to: destination)
    case .fields: convertFields(row, to: destination)
    }
  }

  private func convertIndices(_ row: UnsafeRawPointer, to destination: UnsafeMutableRawPointer) {
    let row = row.assumingMemoryBound(to: UInt8.self)
    if bits == 8 { return resolve(destination) { row[$0] } }
    let perByte = 8 / bits
    let mask = UInt8(1 << bits - 1)
    // The first pixel is in the highest bits.
    resolve(destination) { x in row[x / perByte] >> UInt8((perByte - 1 - x % perByte) * bits) & mask }
  }

  /// Writes the colours of a row of indices.
  @inline(__always)
  func resolve(_ destination: UnsafeMutableRawPointer, _ index: (Int) -> UInt8) {
    let samples = destination.assumingMemoryBound(to: UInt8.self)
    palette.withUnsafeBufferPointer { palette in
      if format.model == .gray {
        for x in 0..<width { samples[x] = palette[3 * Int(index(x))] }
        return
      }
      for x in 0..<width {
        let colour = 3 * Int(index(x))
        for band in 0..<3 { samples[3 * x + band] = palette[colour + band] }
      }
    }
  }

  private func convertBytes(_ row: UnsafeRawPointer, to destination: UnsafeMutableRawPointer) {
    let (size, bands) = (bits / 8, format.bands)
    var from = row.assumingMemoryBound(to: UInt8.self)
    var to = destination.assumingMemoryBound(to: UInt8.self)
    for _ in 0..<width {
      to[0] = from[2]
      to[1] = from[1]
      to[2] = from[0]
      if bands == 4 { to[3] = from[3] }
      from += size
      to += bands
    }
  }

  private func convertFields(_ row: UnsafeRawPointer, to destination: UnsafeMutableRawPointer) {
    var place = destination
    for x in 0..<width {
      let pixel =
        bits == 16
        ? UInt32(UInt16(littleEndian: row.loadUnaligned(fromByteOffset: 2 * x, as: UInt16.self)))
        : UInt32(littleEndian: row.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self))
      for field in fields {
        if format.sample == .u8 {
          place.storeBytes(of: UInt8(field.sample(pixel, full: 255)), as: UInt8.self)
          place += 1
        } else {
          place.storeBytes(of: UInt16(field.sample(pixel, full: 65_535)), as: UInt16.self)
          place += 2
        }
      }
    }
  }
}
