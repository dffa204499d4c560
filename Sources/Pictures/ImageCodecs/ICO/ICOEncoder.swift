import ImageCore

/// Writes an icon with one picture, an RGBA PNG. The PNG is kept in memory, because the directory before it contains
/// its length.
final class ICOEncoder: PictureEncoder {
  /// The largest side that a directory can state.
  static let maximumSide = 256

  private let sink: any ByteSink
  private let layout: PictureLayout
  private let png = PooledSink(reserving: 65_536)
  private let encoder: any PictureEncoder

  init(to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata) throws(PictureError) {
    guard max(layout.width, layout.height) <= Self.maximumSide else {
      throw .codec(
        .cannotEncode(
          "an icon has at most \(Self.maximumSide) pixels a side, not \(layout.width)x\(layout.height); "
            + "resize the picture first"))
    }
    self.sink = sink
    self.layout = layout
    let codec = PNGCodec()
    guard let arguments = try? Arguments(RawArguments(), parameters: codec.saveParameters, positionalCount: 0) else {
      preconditionFailure("the defaults of PNG are wrong")
    }
    encoder = try codec.makeEncoder(
      to: png, layout: layout, metadata: PictureMetadata(iccProfile: metadata.iccProfile), arguments: arguments)
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    try encoder.write(count, from: rows, stride: stride)
  }

  func finish() throws(PictureError) {
    try encoder.finish()
    let content = png.bytes
    var header: [UInt8] = []
    for value in [0, 1, 1] { header.appendLittleEndian16(value) }
    // 0 means 256.
    header += [UInt8(layout.width & 255), UInt8(layout.height & 255), 0, 0]
    for value in [1, 32] { header.appendLittleEndian16(value) }
    header.appendLittleEndian32(content.count)
    header.appendLittleEndian32(ICODirectory.headerByteCount + ICODirectory.entryByteCount)
    var failure: PictureError?
    header.withUnsafeBytes { header in
      do throws(PictureError) { try sink.write(header) } catch { failure = error }
    }
    if let failure { throw failure }
    try content.withUnsafeBytes { content throws(PictureError) in try sink.write(content) }
  }
}
