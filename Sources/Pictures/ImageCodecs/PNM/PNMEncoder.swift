import ImageCore

/// Writes a binary PNM: a PGM for gray and a PPM for RGB, or a PAM. 16-bit samples have the high byte first.
final class PNMEncoder: PictureEncoder {
  private let sink: any ByteSink
  private let layout: PictureLayout
  /// A row of 16-bit samples with their bytes swapped; nil for 8 bits.
  private let row: PooledBytes?

  /// - Parameter isArbitrary: whether to write a PAM, the only one of these formats with alpha.
  init(to sink: any ByteSink, layout: PictureLayout, isArbitrary: Bool) throws(PictureError) {
    self.sink = sink
    self.layout = layout
    row = layout.format.sample == .u16 ? PooledBytes(capacity: layout.rowByteCount) : nil
    let text = isArbitrary ? Self.arbitraryHeader(layout) : Self.header(layout)
    try sink.write(Array(text.utf8))
  }

  private static func header(_ layout: PictureLayout) -> String {
    "P\(layout.bands == 1 ? 5 : 6)\n\(layout.width) \(layout.height)\n\(layout.format.sample.maximum)\n"
  }

  private static func arbitraryHeader(_ layout: PictureLayout) -> String {
    let colours = layout.format.model == .gray ? "GRAYSCALE" : "RGB"
    return """
      P7
      WIDTH \(layout.width)
      HEIGHT \(layout.height)
      DEPTH \(layout.bands)
      MAXVAL \(layout.format.sample.maximum)
      TUPLTYPE \(colours)\(layout.format.hasAlpha ? "_ALPHA" : "")
      ENDHDR

      """
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      let source = rows + index * stride
      guard let row else {
        try sink.write(UnsafeRawBufferPointer(start: source, count: layout.rowByteCount))
        continue
      }
      let samples = row.base.assumingMemoryBound(to: UInt16.self)
      for sample in 0..<layout.width * layout.bands {
        samples[sample] = source.loadUnaligned(fromByteOffset: 2 * sample, as: UInt16.self).bigEndian
      }
      try sink.write(UnsafeRawBufferPointer(start: row.base, count: layout.rowByteCount))
    }
  }

  func finish() {}
}
