import ImageCore

/// A small picture as floating-point numbers: sRGB from 0 to 1 with straight alpha, row by row.
package struct SmallPicture {
  package let width: Int
  package let height: Int
  /// The red, green, blue and alpha of each pixel.
  package private(set) var pixels: [SIMD4<Double>] = []

  /// - Parameter pixels: `width` times `height` pixels.
  package init(width: Int, height: Int, pixels: [SIMD4<Double>]) {
    precondition(pixels.count == width * height)
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Reads a source to its end. Gray becomes RGB.
  init(_ source: any RowSource, _ context: OperationContext) throws(PictureError) {
    let frame = try source.readAll(context)
    let layout = frame.layout
    (width, height) = (layout.width, layout.height)
    pixels.reserveCapacity(width * height)
    let scale = 1 / Double(layout.format.sample.maximum)
    let bands = layout.bands
    let (hasColour, hasAlpha) = (layout.format.model == .rgb, layout.format.hasAlpha)
    for y in 0..<height {
      let row = UnsafeRawPointer(frame.row(y))
      for x in 0..<width {
        func sample(_ band: Int) -> Double {
          scale * Double(RowSamples.load(row, x * bands + band, layout.format.sample))
        }
        let (red, alpha) = (sample(0), hasAlpha ? sample(bands - 1) : 1)
        pixels.append(hasColour ? SIMD4(red, sample(1), sample(2), alpha) : SIMD4(red, red, red, alpha))
      }
    }
  }
}

extension SmallPicture {
  /// Returns a reduced version. Each of its pixels is the mean of the area that it covers, with colours weighted by
  /// alpha.
  func reduced(width: Int, height: Int) -> SmallPicture {
    let whole = pixels.map { pixel in
      var weighed = pixel * pixel.w
      weighed.w = pixel.w
      return weighed
    }
    let rows = (0..<self.height).flatMap { y in
      Self.means(of: self.width, in: width) { whole[y * self.width + $0] }
    }
    let columns = (0..<width).map { x in Self.means(of: self.height, in: height) { rows[$0 * width + x] } }
    let means = (0..<width * height).map { index in
      let pixel = columns[index % width][index / width]
      guard pixel.w > 0 else { return SIMD4<Double>() }
      var straight = pixel / pixel.w
      straight.w = pixel.w
      return straight
    }
    return SmallPicture(width: width, height: height, pixels: means)
  }

  /// Returns the means of `count` equal parts of a row or column. A part may begin and end inside a pixel.
  private static func means(of length: Int, in count: Int, _ value: (Int) -> SIMD4<Double>) -> [SIMD4<Double>] {
    (0..<count).map { part in
      let start = Double(part * length) / Double(count)
      let end = Double((part + 1) * length) / Double(count)
      var sum = SIMD4<Double>()
      for place in Int(start)..<min(length, Int(end.rounded(.up))) {
        sum += value(place) * (min(end, Double(place + 1)) - max(start, Double(place)))
      }
      return sum / (end - start)
    }
  }
}
