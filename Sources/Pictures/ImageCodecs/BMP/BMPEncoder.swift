import ImageCore

/// Writes a BMP with the top row first, so that no rows have to be kept: gray as 8 bits with a palette, RGB as 24 bits,
/// RGB with alpha as 32 bits with bit fields. A profile or alpha needs a V5 header; otherwise the header is that of
/// Windows 3.
final class BMPEncoder: PictureEncoder {
  private let sink: any ByteSink
  private let layout: PictureLayout
  private let profile: [UInt8]
  private let rowByteCount: Int
  private let block: PooledBytes

  private static let blockHeight = 16

  init(to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata) throws(PictureError) {
    self.sink = sink
    self.layout = layout
    // A palette contains RGB colours, which a gray profile does not describe.
    let isGray = layout.format.model == .gray
    profile = !isGray && ICCProfile.matches(metadata.iccProfile, .rgb) ? metadata.iccProfile : []
    rowByteCount = (layout.width * layout.bands + 3) & ~3
    block = PooledBytes(capacity: Self.blockHeight * rowByteCount)
    let pixels = rowByteCount * layout.height
    let hasLongHeader = layout.format.hasAlpha || !profile.isEmpty
    let headers = 14 + (hasLongHeader ? 124 : 40) + (isGray ? 1_024 : 0)
    let total = headers + pixels + profile.count
    guard total <= UInt32.max, layout.height <= Int32.max else {
      throw .codec(.cannotEncode("a BMP has at most 4 GB; use PNG"))
    }
    var header: [UInt8] = Array("BM".utf8)
    header.appendLittleEndian32(total)
    header.appendLittleEndian32(0)
    header.appendLittleEndian32(headers)
    appendInfo(&header, length: hasLongHeader ? 124 : 40, pixels: pixels, metadata.resolution)
    if hasLongHeader { appendV5(&header, profileOffset: headers - 14 + pixels) }
    if isGray { for value in 0...255 as ClosedRange<UInt8> { header += [value, value, value, 0] } }
    try sink.write(header)
  }

  /// Appends BITMAPINFOHEADER. A negative height means that the top row is first.
  private func appendInfo(_ header: inout [UInt8], length: Int, pixels: Int, _ resolution: Resolution?) {
    let bitFields = 3
    func perMetre(_ perInch: Double?) -> Int {
      let value = ((perInch ?? 0) / 0.0254).rounded()
      return (1.0...2_147_483_647).contains(value) ? Int(value) : 0
    }
    for value in [length, layout.width, -layout.height] { header.appendLittleEndian32(value) }
    header.appendLittleEndian16(1)
    header.appendLittleEndian16(layout.bands * 8)
    let isGray = layout.bands == 1
    for value in [
      layout.format.hasAlpha ? bitFields : 0, pixels, perMetre(resolution?.horizontal), perMetre(resolution?.vertical),
      isGray ? 256 : 0, 0,
    ] { header.appendLittleEndian32(value) }
  }

  /// Appends the rest of BITMAPV5HEADER: masks, colour space (`MBED` or `sRGB`), zeros for end points and gammas,
  /// perceptual intent (LCS_GM_IMAGES), profile.
  private func appendV5(_ header: inout [UInt8], profileOffset: Int) {
    let masks = layout.format.hasAlpha ? [0xff_0000, 0xff00, 0xff, 0xff00_0000] : [0, 0, 0, 0]
    for value in masks { header.appendLittleEndian32(value) }
    header.appendLittleEndian32(profile.isEmpty ? 0x7352_4742 : 0x4d42_4544)
    header += [UInt8](repeating: 0, count: 48)
    for value in [4, profile.isEmpty ? 0 : profileOffset, profile.count, 0] { header.appendLittleEndian32(value) }
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    var done = 0
    while done < count {
      let part = min(Self.blockHeight, count - done)
      for row in 0..<part { store(rows + (done + row) * stride, at: block.base + row * rowByteCount) }
      try sink.write(UnsafeRawBufferPointer(start: block.base, count: part * rowByteCount))
      done += part
    }
  }

  /// Stores a row: blue first, and zeros after the last pixel.
  private func store(_ row: UnsafeRawPointer, at destination: UnsafeMutableRawPointer) {
    let bands = layout.bands
    var from = row.assumingMemoryBound(to: UInt8.self)
    var to = destination.assumingMemoryBound(to: UInt8.self)
    if bands == 1 {
      to.update(from: from, count: layout.width)
    } else {
      for _ in 0..<layout.width {
        to[0] = from[2]
        to[1] = from[1]
        to[2] = from[0]
        if bands == 4 { to[3] = from[3] }
        from += bands
        to += bands
      }
    }
    let used = layout.rowByteCount
    (destination + used).initializeMemory(as: UInt8.self, repeating: 0, count: rowByteCount - used)
  }

  func finish() throws(PictureError) { try sink.write(profile) }
}
