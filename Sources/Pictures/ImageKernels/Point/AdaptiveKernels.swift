/// The loops of adaptive histogram equalisation: they count the pixels of each tile by lightness, and map pixels
/// through curves that are interpolated between tiles.
///
/// The lightness of a colour is CIE L\* of sRGB divided by 100. The lightness of gray is `sample + 1/2`, the centre of
/// the sample's level, divided by the number of levels. Rows are as in `PointKernels`; alpha is unchanged.
package enum AdaptiveKernels {
  /// The number of bins of a lightness histogram.
  package static let bins = 256
  /// The number of values of a curve: one at each edge of a bin, and one more, which interpolation reads with weight 0.
  package static let curveCount = bins + 2

  /// Adds the pixels of a row to the histogram of their lightness.
  ///
  /// - Parameters:
  ///   - row: the first pixel to count.
  ///   - bands: the number of bands of a pixel; the first, or the first three, are colour.
  package static func count(
    _ row: UnsafeRawPointer, width: Int, bands: Int, sampleBytes: Int, into counts: UnsafeMutablePointer<Int>
  ) {
    if sampleBytes == 1 {
      count(row.assumingMemoryBound(to: UInt8.self), width, bands, counts)
    } else {
      count(row.assumingMemoryBound(to: UInt16.self), width, bands, counts)
    }
  }

  private static func count<Sample: StoredSample>(
    _ row: UnsafePointer<Sample>, _ width: Int, _ bands: Int, _ counts: UnsafeMutablePointer<Int>
  ) {
    guard bands >= 3 else {
      let shift = 8 * MemoryLayout<Sample>.size - 8
      for x in 0..<width { counts[Int(row[x * bands]) >> shift] += 1 }
      return
    }
    let decode = SRGBTransfer.decodeTable(sampleBytes: MemoryLayout<Sample>.size)
    LightBlock.withBlock { block in
      for x in stride(from: 0, to: width, by: LightBlock.width) {
        let count = min(LightBlock.width, width - x)
        block.decode(row + x * bands, count: count, bands: bands, offsets: (0, 1, 2), decode)
        let places = LabTransform.lightness(block) * (Float(bins) / 100)
        for lane in 0..<count { counts[Int(max(0, min(Float(bins - 1), places[lane])))] += 1 }
      }
    }
  }

  /// The curves for a row of pixels: one for each column of tiles, from left to right.
  package struct Curves {
    /// `curveCount` values for each column of tiles, from 0 to 1.
    let values: UnsafePointer<Float>
    let columns: Int

    package init(_ values: UnsafePointer<Float>, columns: Int) {
      self.values = values
      self.columns = columns
    }

    /// Returns a value interpolated between the curves of the two tiles whose centres are on either side of the pixel.
    ///
    /// - Parameter place: the lightness, as a position in the histogram from 0 to `bins`.
    @inline(__always)
    fileprivate func value(_ place: Float, x: Int, width: Int) -> Float {
      let across = (Float(x) + 0.5) * (Float(columns) / Float(width)) - 0.5
      let limited = max(0, min(Float(columns - 1), across))
      let left = Int(limited)
      let share = limited - Float(left)
      let place = max(0, min(Float(bins), place))
      let step = Int(place)
      let part = place - Float(step)
      let first = values + left * curveCount + step
      let second = values + min(left + 1, columns - 1) * curveCount + step
      let one = first[0] + (first[1] - first[0]) * part
      let other = second[0] + (second[1] - second[0]) * part
      return one + (other - one) * share
    }
  }

  /// Maps the lightness of a row of pixels in place.
  package static func map(
    _ row: UnsafeMutableRawPointer, width: Int, bands: Int, sampleBytes: Int, by curves: Curves
  ) {
    if sampleBytes == 1 {
      map(row.assumingMemoryBound(to: UInt8.self), width, bands, curves)
    } else {
      map(row.assumingMemoryBound(to: UInt16.self), width, bands, curves)
    }
  }

  private static func map<Sample: StoredSample>(
    _ row: UnsafeMutablePointer<Sample>, _ width: Int, _ bands: Int, _ curves: Curves
  ) {
    guard bands >= 3 else {
      let levels = Sample.top + 1
      for x in 0..<width {
        let place = (Float(row[x * bands]) + 0.5) * (Float(bins) / levels)
        row[x * bands] = Sample(
          nearest: max(0, min(Sample.top, curves.value(place, x: x, width: width) * levels - 0.5)))
      }
      return
    }
    let decode = SRGBTransfer.decodeTable(sampleBytes: MemoryLayout<Sample>.size)
    let encode = SRGBTransfer.encodeTable
    LightBlock.withBlock { block in
      for x in stride(from: 0, to: width, by: LightBlock.width) {
        let pixels = row + x * bands
        let count = min(LightBlock.width, width - x)
        block.decode(UnsafePointer(pixels), count: count, bands: bands, offsets: (0, 1, 2), decode)
        LabTransform.mapLightness(block) { lightness in
          let places = lightness * (Float(bins) / 100)
          var mapped = lightness
          for lane in 0..<count { mapped[lane] = curves.value(places[lane], x: x + lane, width: width) * 100 }
          return mapped
        }
        block.encode(into: pixels, count: count, bands: bands, encode)
      }
    }
  }
}
