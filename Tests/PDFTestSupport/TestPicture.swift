import CTestJPEG
import Foundation
import ImageCore
import PDFBook

/// A small synthetic picture without symmetry, so that every rotation and every shift changes it.
package struct TestPicture: Sendable {
  package let width: Int
  package let height: Int
  /// 1, 3, or 4 (CMYK).
  package let components: Int
  package let pixels: [UInt8]

  /// Creates smooth areas and blocks that depend on a seed. Pictures with different seeds differ everywhere.
  package init(_ seed: Int, width: Int = 96, height: Int = 64, components: Int = 3) {
    self.width = width
    self.height = height
    self.components = components
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let block = (x * 4 / width + seed * 3) ^ (y * 4 / height * 5)
        for band in 0..<components {
          let value = x * 150 / width * (band + 1) + y * 90 / height + block * 37 * (band + 2)
          pixels.append(UInt8(truncatingIfNeeded: (value + seed * 53) % 256))
        }
      }
    }
    self.pixels = pixels
  }

  private init(width: Int, height: Int, components: Int, pixels: [UInt8]) {
    (self.width, self.height) = (width, height)
    (self.components, self.pixels) = (components, pixels)
  }

  /// Returns the picture shifted left by a pixel, with the last column doubled.
  package func shiftedLeft() -> TestPicture {
    var shifted: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let pixel = (y * width + min(width - 1, x + 1)) * components
        shifted += pixels[pixel..<pixel + components]
      }
    }
    return TestPicture(width: width, height: height, components: components, pixels: shifted)
  }

  /// Returns the picture repeated vertically, a fast way to make large pictures.
  package func stacked(_ count: Int) -> TestPicture {
    var all: [UInt8] = []
    all.reserveCapacity(pixels.count * count)
    for _ in 0..<count { all.append(contentsOf: pixels) }
    return TestPicture(
      width: width, height: height * count, components: components, pixels: all)
  }

  /// Returns a JPEG without subsampling.
  package func jpeg(quality: Int = 90, progressive: Bool = false) -> [UInt8] {
    var count = 0
    let bytes = test_jpeg_encode(
      pixels, Int32(width), Int32(height), Int32(components), Int32(quality), progressive ? 1 : 0,
      &count)!
    defer { free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// Returns a JPEG with one scan, and a restart marker after every `restartInterval` units.
  package func jpeg(restartInterval: Int) -> [UInt8] {
    var count = 0
    let bytes = test_jpeg_encode_scan(
      pixels, Int32(width), Int32(height), Int32(components), 90, 1, 1, Int32(restartInterval), 0, &count)!
    defer { free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// Writes the rows to an encoder.
  package func write(to encoder: some PictureEncoder) throws {
    for y in 0..<height {
      try pixels[y * width * components..<(y + 1) * width * components].withUnsafeBytes {
        try encoder.write(1, from: $0.baseAddress!, stride: width * components)
      }
    }
    try encoder.finish()
  }

  package var fingerprint: PixelFingerprint {
    let layout = PictureLayout(width: width, height: height, format: components == 1 ? .gray8 : .rgb8)
    var accumulator = PixelFingerprint.Accumulator(layout)
    pixels.withUnsafeBytes {
      accumulator.add(height, from: $0.baseAddress!, stride: width * components)
    }
    return accumulator.finish()!
  }
}

/// Returns the pixels of a JPEG, decoded by libjpeg.
package func decodeTestJPEG(_ bytes: [UInt8]) -> (width: Int, height: Int, components: Int, pixels: [UInt8])? {
  var (width, height, components) = (Int32(0), Int32(0), Int32(0))
  guard let pixels = test_jpeg_decode(bytes, bytes.count, &width, &height, &components) else { return nil }
  defer { free(pixels) }
  let count = Int(width) * Int(height) * Int(components)
  return (Int(width), Int(height), Int(components), Array(UnsafeBufferPointer(start: pixels, count: count)))
}
