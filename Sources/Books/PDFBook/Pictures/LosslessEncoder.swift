import ImageCore
import RowCompression

/// Compresses rows losslessly for a PDF. An 8-bit gray picture with only black and white pixels is compressed with
/// CCITT Group 4, unless Group 4 compresses it badly and Flate is smaller. All other pictures are compressed with
/// Flate.
///
/// An encoder works on any thread and independently of `PDFWriter`. It keeps the result in memory.
package final class LosslessEncoder: PictureEncoder {
  private let layout: PictureLayout
  private let iccProfile: [UInt8]
  private let context: OperationContext
  /// The fax encoder; nil if the picture is not 8-bit gray, after a sample that is neither black nor white, and after
  /// `finish()`.
  private var fax: FaxEncoder?
  private var flate: FlateEncoder?
  /// The number of rows in `fax`.
  private var rowCount = 0
  private var made: PDFPicture?

  /// The number of rows that are decoded from `fax` at a time.
  private static let stripHeight = 16

  /// - Parameters:
  ///   - layout: gray, RGB or CMYK, 8 or 16 bits, with or without alpha.
  ///   - iccProfile: the profile; omitted if it is for another colour space.
  ///   - context: the context whose workers filter and compress.
  package init(_ layout: PictureLayout, iccProfile: [UInt8] = [], context: OperationContext = .serial) {
    self.layout = layout
    self.iccProfile = iccProfile
    self.context = context
    if layout.format == .gray8 { fax = FaxEncoder(width: layout.width) } else { flate = makeFlate() }
  }

  private func makeFlate() -> FlateEncoder { FlateEncoder(layout, iccProfile: iccProfile, context: context) }

  /// Whether all alpha samples so far were opaque.
  package var isOpaque: Bool { flate?.isOpaque ?? true }

  package func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    var done = 0
    while done < count, fax != nil {
      if fax!.add(rows + done * stride) {
        done += 1
        rowCount += 1
      } else {
        try turnToFlate()
      }
    }
    if done < count { try flate?.write(count - done, from: rows + done * stride, stride: stride) }
  }

  package func finish() throws(PictureError) {
    guard var fax else {
      try flate?.finish()
      return
    }
    fax.finish()
    self.fax = nil
    made = PDFPicture(
      data: .bytes(fax.bytes), compression: .fax(isInverted: false, endsWithBlock: true), format: oneBit,
      iccProfile: iccProfile)
    // Dithered pictures have short runs, for which Group 4 is larger than Flate.
    guard fax.bytes.count > layout.height * packedByteCount / 4 else { return }
    let packed = try packed(fax.bytes)
    if packed.count < fax.bytes.count {
      made = PDFPicture(data: .bytes(packed), compression: .flate, format: oneBit, iccProfile: iccProfile)
    }
  }

  /// The picture, ready to be added to a book; without a mask if it is opaque. Valid after `finish()`. All properties
  /// except the data are valid as soon as a transparent sample has been found.
  package var picture: PDFPicture {
    guard let picture = made ?? flate?.picture else { preconditionFailure("a picture is asked for before its end") }
    return picture
  }

  private var oneBit: PDFPicture.Format {
    PDFPicture.Format(width: layout.width, height: layout.height, colourSpace: .gray, bits: 1)
  }

  /// The number of bytes in a row of 1-bit samples.
  private var packedByteCount: Int { (layout.width + 7) / 8 }

  /// Moves the black and white rows written so far from the fax encoder to Flate.
  private func turnToFlate() throws(PictureError) {
    guard var fax else { return }
    fax.flush()
    self.fax = nil
    let flate = makeFlate()
    self.flate = flate
    try decode(fax.bytes, rowCount) { (strip, count) throws(PictureError) in
      try flate.write(count, from: strip.base, stride: strip.stride)
    }
  }

  /// Decodes rows of Group 4, and passes them to `body` in strips.
  private func decode(
    _ bytes: [UInt8], _ rowCount: Int, _ body: (PixelBuffer, Int) throws(PictureError) -> Void
  ) throws(PictureError) {
    let strip = PixelBuffer(layout.with(width: layout.width, height: min(Self.stripHeight, max(1, rowCount))))
    try bytes.withUnsafeBufferPointer { (bytes) throws(PictureError) in
      var decoder = FaxDecoder(UnsafeRawBufferPointer(bytes), width: layout.width)
      var row = 0
      while row < rowCount {
        let count = min(strip.layout.height, rowCount - row)
        for y in 0..<count {
          guard decoder.next() else { preconditionFailure("Group 4 rows of our own cannot be decoded") }
          decoder.write(white: 255, black: 0, to: strip.row(y).assumingMemoryBound(to: UInt8.self))
        }
        try body(strip, count)
        row += count
      }
    }
  }

  /// Returns the stream of the picture as 1-bit samples, with 1 for white, compressed with Flate.
  private func packed(_ fax: [UInt8]) throws(PictureError) -> [UInt8] {
    let bands = RowFilter.Bands(width: packedByteCount, sampleBytes: 1, bands: 0..<1, of: 1)
    let compressor = RowCompressor(RowFilter(bands), height: layout.height, context: context)
    var output: [UInt8] = []
    var row = [UInt8](repeating: 0, count: packedByteCount)
    try decode(fax, layout.height) { (strip, count) throws(PictureError) in
      for y in 0..<count {
        let samples = strip.row(y).assumingMemoryBound(to: UInt8.self)
        for index in row.indices { row[index] = 0 }
        for x in 0..<layout.width { row[x / 8] |= samples[x] & (0x80 >> UInt8(x % 8)) }
        try row.withUnsafeBufferPointer { (row) throws(PictureError) in
          try compressor.add(1, from: row.baseAddress!, stride: row.count) { output += $0 }
        }
      }
    }
    try compressor.finish { output += $0 }
    return output
  }
}
