import CPNG
import ImageCore
import RowCompression

/// Writes a PNG with a palette, without loss. The palette comes before the pixels, so `PNGIndexedPicture` holds them
/// until the last row.
final class PNGPaletteEncoder: PictureEncoder {
  private let layout: PictureLayout
  private var picture: PNGIndexedPicture
  private let writer: PNGIndexWriter

  init(
    to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, settings: PNGSettings,
    context: OperationContext
  ) throws(PictureError) {
    guard layout.format.sample == .u8 else {
      throw .codec(
        .cannotEncode("a palette holds 8-bit colours, but the picture has 16 bits; leave out palette = true"))
    }
    self.layout = layout
    picture = PNGIndexedPicture(layout, limit: 256)
    writer = PNGIndexWriter(to: sink, layout: layout, metadata: metadata, settings: settings, context: context)
  }

  func write(_ count: Int, from rows: UnsafeRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      guard picture.add(UnsafeRawBufferPointer(start: rows + index * stride, count: layout.rowByteCount)) else {
        throw .codec(.cannotEncode("the picture has more than 256 colours; leave out palette = true"))
      }
    }
  }

  func finish() throws(PictureError) { try writer.write(picture) }
}
