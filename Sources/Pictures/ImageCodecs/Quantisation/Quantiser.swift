import ImageCore

/// Reduces a picture to a palette: counts its colours, fits a palette to them, and dithers the pixels.
///
/// The quantiser runs on one worker and always in the same order, so that the result is reproducible.
enum Quantiser {
  /// The weights of the squared differences in red, green, blue and alpha. The eye is most sensitive to green and least
  /// to blue.
  static let weights = SIMD4<Int32>(3, 4, 2, 3)
  /// The square roots of the weights.
  static let scale = SIMD4<Float>(3, 4, 2, 3).squareRoot()

  /// Returns the maximum memory of `reduce` in bytes, in addition to the picture and the indices.
  static func byteCount(width: Int, height: Int, colours: Int, _ hasAlpha: Bool) -> Int {
    ColourHistogram.byteCount(pixels: width * height, hasAlpha)
      + ColourClusters.byteCount(pixels: width * height, hasAlpha) + NearestColour.byteCount(colours, hasAlpha)
      + ErrorDiffusion.byteCount(width: width)
  }

  /// Returns at most `count` colours as 0xRRGGBBAA, in order of increasing alpha, and the palette index of each pixel.
  ///
  /// - Parameter frame: a picture with 8-bit samples.
  static func reduce(_ frame: PixelBuffer, to count: Int, context: OperationContext)
    throws(PictureError) -> (colours: [UInt32], indices: [UInt8])
  {
    let (width, height) = (frame.layout.width, frame.layout.height)
    let hasAlpha = frame.layout.format.hasAlpha
    var row = [SIMD4<Int32>](repeating: SIMD4(), count: width)
    let colours = straight(
      ColourClusters(try histogram(frame, &row, context), count: count, hasAlpha: hasAlpha).colours)
    try context.checkCancellation()

    var diffusion = ErrorDiffusion(colours.map(premultiplied), width: width, hasAlpha: hasAlpha)
    var indices = [UInt8](repeating: 0, count: width * height)
    premultiply(frame, 0, &row)
    diffusion.begin(row: row)
    for y in 0..<height {
      try context.checkCancellation()
      if y + 1 < height {
        premultiply(frame, y + 1, &row)
        diffusion.look(at: row)
      } else {
        diffusion.lookAtEnd()
      }
      premultiply(frame, y, &row)
      indices.withUnsafeMutableBufferPointer { diffusion.convert(row, to: $0.baseAddress! + y * width) }
    }
    return (colours, indices)
  }

  /// Counts the colours of a picture. If there are too many to count individually, as in photographs, they are grouped
  /// in cells.
  private static func histogram(
    _ frame: PixelBuffer, _ row: inout [SIMD4<Int32>], _ context: OperationContext
  ) throws(PictureError) -> ColourHistogram {
    let (pixels, hasAlpha) = (frame.layout.width * frame.layout.height, frame.layout.format.hasAlpha)
    var histogram = ColourHistogram(pixels: pixels, hasAlpha: hasAlpha, isExact: true)
    var (isExact, y) = (true, 0)
    while y < frame.layout.height {
      try context.checkCancellation()
      premultiply(frame, y, &row)
      if histogram.add(row) {
        y += 1
      } else {
        precondition(isExact, "cells have room for every colour")
        (isExact, y) = (false, 0)
        histogram = ColourHistogram(pixels: pixels, hasAlpha: hasAlpha, isExact: false)
      }
    }
    return histogram
  }

  /// Rounds premultiplied colours to straight ones without duplicates, sorted by alpha and then from dark to bright.
  private static func straight(_ colours: [SIMD4<Float>]) -> [UInt32] {
    func sample(_ value: Float) -> UInt32 { UInt32(max(0, min(255, value + 0.5))) }
    let rounded = colours.map { colour in
      let alpha = sample(colour.w)
      guard alpha > 0 else { return UInt32(0) }
      let scaled = colour * (255 / colour.w)
      return sample(scaled.x) << 24 | sample(scaled.y) << 16 | sample(scaled.z) << 8 | alpha
    }
    func order(_ colour: UInt32) -> (UInt32, UInt32, UInt32) {
      (colour & 0xff, 2 * (colour >> 24) + 5 * (colour >> 16 & 0xff) + (colour >> 8 & 0xff), colour)
    }
    return Set(rounded).sorted { order($0) < order($1) }
  }

  @inline(__always)
  private static func premultiplied(_ colour: UInt32) -> SIMD4<Int32> {
    premultiplied(UInt8(colour >> 24), UInt8(colour >> 16 & 0xff), UInt8(colour >> 8 & 0xff), UInt8(colour & 0xff))
  }

  @inline(__always)
  private static func premultiplied(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8) -> SIMD4<Int32> {
    guard alpha < 255 else { return SIMD4(Int32(red), Int32(green), Int32(blue), 255) }
    func product(_ value: UInt8) -> Int32 { (Int32(value) * Int32(alpha) + 127) / 255 }
    return SIMD4(product(red), product(green), product(blue), Int32(alpha))
  }

  /// Converts a row of any 8-bit format to premultiplied colours.
  private static func premultiply(_ frame: PixelBuffer, _ y: Int, _ row: inout [SIMD4<Int32>]) {
    let bytes = UnsafePointer(frame.row(y).assumingMemoryBound(to: UInt8.self))
    let format = frame.layout.format
    row.withUnsafeMutableBufferPointer { row in
      switch (format.model, format.hasAlpha) {
      case (.gray, false):
        for x in row.indices { row[x] = premultiplied(bytes[x], bytes[x], bytes[x], 255) }
      case (.gray, true):
        for x in row.indices {
          row[x] = premultiplied(bytes[2 * x], bytes[2 * x], bytes[2 * x], bytes[2 * x + 1])
        }
      case (.rgb, false):
        for x in row.indices { row[x] = premultiplied(bytes[3 * x], bytes[3 * x + 1], bytes[3 * x + 2], 255) }
      case (.rgb, true):
        for x in row.indices {
          row[x] = premultiplied(bytes[4 * x], bytes[4 * x + 1], bytes[4 * x + 2], bytes[4 * x + 3])
        }
      case (.cmyk, _): preconditionFailure("palettes hold no CMYK")
      }
    }
  }
}
