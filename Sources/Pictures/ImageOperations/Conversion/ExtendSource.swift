import ImageCore
import ImageKernels

final class ExtendSource: RowSource {
  let layout: PictureLayout
  private let input: PictureLayout
  private let border: Border
  private let context: OperationContext
  private let upstream: any RowSource
  private let reader: StripReader
  private var frame: PixelBuffer?
  /// One pixel of background.
  private let background: PixelBuffer
  private var next = 0

  init(_ upstream: any RowSource, _ border: Border, _ context: OperationContext) {
    let size = border.size(around: upstream.layout)
    layout = upstream.layout.with(width: size.width, height: size.height)
    input = upstream.layout
    self.border = border
    self.context = context
    self.upstream = upstream
    reader = StripReader(upstream, context)
    background = PixelBuffer(layout.with(width: 1, height: 1))
    background.setFirstPixel(border.background)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    try context.checkCancellation()
    if border.needsFrame, frame == nil { frame = try upstream.readAll(context) }
    for row in 0..<count {
      let target = destination + row * stride
      if let y = border.mode.inside(next + row - border.top, of: input.height) {
        fill(target, from: try sourceRow(y))
      } else {
        PixelMoves.fill(target, with: background.base, count: layout.width, pixelBytes: layout.format.bytesPerPixel)
      }
    }
    next += count
    if next == layout.height { frame = nil }
  }

  private func sourceRow(_ y: Int) throws(PictureError) -> UnsafeRawPointer {
    if let frame { return UnsafeRawPointer(frame.row(y)) }
    return try reader.row(y)
  }

  private func fill(_ target: UnsafeMutableRawPointer, from row: UnsafeRawPointer) {
    let pixelBytes = layout.format.bytesPerPixel
    (target + border.left * pixelBytes).copyMemory(from: row, byteCount: input.rowByteCount)
    fillBorder(0..<border.left, target, row)
    fillBorder(border.left + input.width..<layout.width, target, row)
  }

  private func fillBorder(_ columns: Range<Int>, _ target: UnsafeMutableRawPointer, _ row: UnsafeRawPointer) {
    let pixelBytes = layout.format.bytesPerPixel
    if border.mode == .background {
      PixelMoves.fill(
        target + columns.lowerBound * pixelBytes, with: background.base, count: columns.count,
        pixelBytes: pixelBytes)
      return
    }
    for x in columns {
      guard let from = border.mode.inside(x - border.left, of: input.width) else { continue }
      (target + x * pixelBytes).copyMemory(from: row + from * pixelBytes, byteCount: pixelBytes)
    }
  }
}
