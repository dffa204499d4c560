import ImageCore

/// Rows of a PNM with binary pixels: bits, samples or floats.
final class PNMDecoder: RowSource {
  let layout: PictureLayout
  private let header: PNMHeader
  private let acceptsDamage: Bool
  private var rows: StoredRows
  private var next: Int
  /// The scaled value of each possible 8-bit sample; empty for 16-bit layouts.
  private let scaled: [UInt8]

  /// - Parameter first: the first row to return. The layout contains only the rows from there on.
  init(_ source: ByteSource, _ header: PNMHeader, first: Int = 0, acceptsDamage: Bool) throws(PictureError) {
    guard acceptsDamage || header.pixelEnd! <= source.byteCount else { throw .codec(.truncated) }
    layout = header.layout.with(width: header.width, height: header.height - first)
    self.header = header
    self.acceptsDamage = acceptsDamage
    next = first
    rows = StoredRows(
      source, offset: header.pixelOffset, rowByteCount: header.rowByteCount, usedByteCount: header.rowByteCount,
      height: header.height, isTopDown: !header.isFloat)
    scaled = layout.format.sample == .u8 ? (0...255).map { UInt8(header.scaled($0)) } : []
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      let place = destination + index * stride
      if let row = try rows.row(next) {
        try convert(row, to: place)
      } else {
        // The file was truncated, or became shorter after it was opened.
        guard acceptsDamage else { throw .codec(.truncated) }
        place.initializeMemory(as: UInt8.self, repeating: 0, count: layout.rowByteCount)
      }
      next += 1
    }
  }

  private func convert(_ row: UnsafeRawPointer, to destination: UnsafeMutableRawPointer) throws(PictureError) {
    let count = layout.width * layout.bands
    switch header.storage {
    case .bits: convertBits(row, to: destination)
    case .floats(let isLittleEndian): convertFloats(row, count, isLittleEndian, to: destination)
    case .samples where header.maximum == 255: destination.copyMemory(from: row, byteCount: count)
    case .samples where header.maximum < 255: try convertBytes(row, count, to: destination)
    case .samples, .text: try convertWords(row, count, to: destination)
    }
  }

  /// Converts a row of bits; the first pixel is in the highest bit of a byte.
  private func convertBits(_ row: UnsafeRawPointer, to destination: UnsafeMutableRawPointer) {
    let bytes = row.assumingMemoryBound(to: UInt8.self)
    let samples = destination.assumingMemoryBound(to: UInt8.self)
    for x in 0..<layout.width { samples[x] = scaled[Int(bytes[x >> 3] >> UInt8(7 - x & 7) & 1)] }
  }

  private func convertBytes(_ row: UnsafeRawPointer, _ count: Int, to destination: UnsafeMutableRawPointer)
    throws(PictureError)
  {
    let bytes = row.assumingMemoryBound(to: UInt8.self)
    let samples = destination.assumingMemoryBound(to: UInt8.self)
    var largest: UInt8 = 0
    scaled.withUnsafeBufferPointer { scaled in
      for index in 0..<count {
        largest = max(largest, bytes[index])
        samples[index] = scaled[Int(bytes[index])]
      }
    }
    try check(Int(largest))
  }

  private func convertWords(_ row: UnsafeRawPointer, _ count: Int, to destination: UnsafeMutableRawPointer)
    throws(PictureError)
  {
    let samples = destination.assumingMemoryBound(to: UInt16.self)
    var largest: UInt16 = 0
    for index in 0..<count {
      let value = UInt16(bigEndian: row.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
      largest = max(largest, value)
      samples[index] = header.maximum == 65_535 ? value : UInt16(header.scaled(Int(value)))
    }
    try check(Int(largest))
  }

  private func check(_ largest: Int) throws(PictureError) {
    guard acceptsDamage || largest <= header.maximum else { throw .codec(PNMCodec.excess) }
  }

  /// Converts floats: 0 to 1 is the full range, and values outside of it are clipped.
  private func convertFloats(
    _ row: UnsafeRawPointer, _ count: Int, _ isLittleEndian: Bool, to destination: UnsafeMutableRawPointer
  ) {
    let samples = destination.assumingMemoryBound(to: UInt16.self)
    for index in 0..<count {
      let bits = row.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
      let value = Float(bitPattern: isLittleEndian ? UInt32(littleEndian: bits) : UInt32(bigEndian: bits))
      samples[index] = value > 0 ? UInt16((min(value, 1) * 65_535).rounded()) : 0
    }
  }
}

/// Rows of a PNM whose samples are written as decimal numbers (P1, P2, P3).
final class PNMTextDecoder: RowSource {
  let layout: PictureLayout
  private let header: PNMHeader
  private let acceptsDamage: Bool
  private var parser: PNMParser
  /// Whether the rest of the file is unreadable.
  private var hasEnded = false

  init(_ source: ByteSource, _ header: PNMHeader, acceptsDamage: Bool) {
    layout = header.layout
    self.header = header
    self.acceptsDamage = acceptsDamage
    parser = PNMParser(source, at: header.pixelOffset)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    for row in 0..<count { try readRow(into: destination + row * stride) }
  }

  private func readRow(into row: UnsafeMutableRawPointer) throws(PictureError) {
    let count = layout.width * layout.bands
    let size = layout.format.sample.byteCount
    for index in 0..<count {
      guard !hasEnded, let sample = try sample() else {
        hasEnded = true
        row.initializeMemory(as: UInt8.self, repeating: 0, count: layout.rowByteCount)
        return
      }
      let value = header.scaled(sample)
      if size == 1 {
        row.storeBytes(of: UInt8(value), toByteOffset: index, as: UInt8.self)
      } else {
        row.storeBytes(of: UInt16(value), toByteOffset: 2 * index, as: UInt16.self)
      }
    }
  }

  /// Returns the next sample; nil if the file ends or is damaged, and damage is accepted.
  private func sample() throws(PictureError) -> Int? {
    do throws(PictureError) {
      let sample = header.isInverted ? try digit() : try parser.number()
      guard sample <= header.maximum else { throw .codec(PNMCodec.excess) }
      return sample
    } catch {
      guard acceptsDamage, case .codec = error else { throw error }
      return nil
    }
  }

  /// Returns a pixel of a bitmap, whose digits need no white space between them.
  private func digit() throws(PictureError) -> Int {
    guard let digit = try parser.skip() else { throw .codec(.truncated) }
    guard digit == UInt8(ascii: "0") || digit == UInt8(ascii: "1") else {
      throw .codec(.damaged("it has a word instead of a number"))
    }
    parser.offset += 1
    return Int(digit - UInt8(ascii: "0"))
  }
}
