import ImageCore
import ImagePipeline

/// The values of pixels of an image in the preview.
enum PixelFacts {
  /// Returns the values of one pixel; nil outside of the picture.
  static func values(of frame: PixelBuffer, x: Int, y: Int) -> [Int]? {
    let layout = frame.layout
    guard (0..<layout.width).contains(x), (0..<layout.height).contains(y) else { return nil }
    let row = UnsafeRawPointer(frame.row(y))
    return (0..<layout.bands).map { sample(row, x * layout.bands + $0, layout.format.sample) }
  }

  /// Returns the number of pixels with each of 256 values, for each colour channel. Of 16-bit values, the high byte
  /// counts.
  static func histogram(of frame: PixelBuffer) -> [[Int]] {
    let layout = frame.layout
    var bins = [[Int]](repeating: [Int](repeating: 0, count: 256), count: layout.format.model.bandCount)
    let shift = layout.format.sample == .u8 ? 0 : 8
    for y in 0..<layout.height {
      let row = UnsafeRawPointer(frame.row(y))
      for x in 0..<layout.width {
        for band in bins.indices {
          bins[band][sample(row, x * layout.bands + band, layout.format.sample) >> shift] += 1
        }
      }
    }
    return bins
  }

  /// Returns the names of the colour channels for the page.
  static func bandNames(_ layout: PictureLayout) -> [String] {
    layout.format.model.bandCount == 1 ? ["grey"] : ["red", "green", "blue"]
  }

  private static func sample(_ row: UnsafeRawPointer, _ index: Int, _ kind: SampleType) -> Int {
    kind == .u8
      ? Int(row.load(fromByteOffset: index, as: UInt8.self))
      : Int(row.load(fromByteOffset: index * 2, as: UInt16.self))
  }
}
