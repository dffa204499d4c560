import ImageCore

/// A picture on a larger canvas of one colour.
final class PaddedSource: RowSource {
  let layout: PictureLayout
  private let input: any RowSource
  private let left: Int
  private let top: Int
  /// One row of background.
  private let background: PixelBuffer
  /// One row of the input.
  private let inputRow: PixelBuffer
  private var next = 0

  /// - Parameters:
  ///   - layout: the canvas, in the input's format.
  ///   - left: columns of background left of the input, which lies inside the canvas.
  ///   - top: rows of background above it.
  init(
    _ input: any RowSource, layout: PictureLayout, left: Int, top: Int, background colour: Colour
  ) {
    self.layout = layout
    self.input = input
    self.left = left
    self.top = top
    background = PixelBuffer(layout.with(width: layout.width, height: 1))
    inputRow = PixelBuffer(input.layout.with(width: input.layout.width, height: 1))
    let samples = colour.samples(in: layout.format)
    for x in 0..<layout.width {
      for (band, value) in samples.enumerated() {
        RowSamples.store(value, background.base, x * samples.count + band, layout.format.sample)
      }
    }
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int)
    throws(PictureError)
  {
    for row in 0..<count {
      let address = destination + row * stride
      address.copyMemory(from: background.base, byteCount: layout.rowByteCount)
      if (top..<top + input.layout.height).contains(next) {
        try readInput(into: address + left * layout.format.bytesPerPixel)
      }
      next += 1
    }
  }

  private func readInput(into destination: UnsafeMutableRawPointer) throws(PictureError) {
    // Read into a buffer first: a source may overwrite bytes after its row, where our padding is.
    try input.read(1, into: inputRow.base, stride: inputRow.stride)
    destination.copyMemory(from: inputRow.base, byteCount: input.layout.rowByteCount)
  }
}

/// Single samples of a row, by their index.
enum RowSamples {
  @inline(__always)
  static func load(_ row: UnsafeRawPointer, _ index: Int, _ type: SampleType) -> Int {
    switch type {
    case .u8: Int(row.load(fromByteOffset: index, as: UInt8.self))
    case .u16: Int(row.load(fromByteOffset: 2 * index, as: UInt16.self))
    }
  }

  @inline(__always)
  static func store(
    _ value: Int, _ row: UnsafeMutableRawPointer, _ index: Int, _ type: SampleType
  ) {
    switch type {
    case .u8: row.storeBytes(of: UInt8(value), toByteOffset: index, as: UInt8.self)
    case .u16: row.storeBytes(of: UInt16(value), toByteOffset: 2 * index, as: UInt16.self)
    }
  }
}
