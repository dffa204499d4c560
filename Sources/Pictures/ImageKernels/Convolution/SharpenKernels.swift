/// The last step of an unsharp mask.
public enum SharpenKernels {
  /// Adds to the colour bands of a row, in place, what sets its luminance apart from a blurred one:
  /// `amount` times the difference, less `threshold` towards 0.
  ///
  /// The same number is added to each colour band, which changes the luminance and not the hue.
  ///
  /// - Parameters:
  ///   - luma: the row's luminance, as `ConvolutionKernels.widenLuma` makes it.
  ///   - blurred: the same, blurred.
  ///   - threshold: in levels of the row's samples.
  public static func addDetail(
    to row: UnsafeMutableRawPointer, luma: UnsafePointer<Float>, blurred: UnsafePointer<Float>,
    width: Int, bands: Int, colourBands: Int, sampleBytes: Int, amount: Float, threshold: Float
  ) {
    let detail = Detail(luma: luma, blurred: blurred, amount: amount, threshold: threshold)
    if sampleBytes == 1 {
      add(detail, row.assumingMemoryBound(to: UInt8.self), width, bands, colourBands)
    } else {
      add(detail, row.assumingMemoryBound(to: UInt16.self), width, bands, colourBands)
    }
  }

  private struct Detail {
    let luma: UnsafePointer<Float>
    let blurred: UnsafePointer<Float>
    let amount: Float
    let threshold: Float

    @inline(__always)
    func at(_ x: Int) -> Float {
      let difference = luma[x] - blurred[x]
      let kept = max(0, difference - threshold) + min(0, difference + threshold)
      return amount * kept
    }
  }

  private static func add<Sample: StoredSample>(
    _ detail: Detail, _ row: UnsafeMutablePointer<Sample>, _ width: Int, _ bands: Int,
    _ colourBands: Int
  ) {
    for x in 0..<width {
      let pixel = row + x * bands
      let change = detail.at(x)
      for band in 0..<colourBands {
        pixel[band] = Sample(nearest: pixel[band].number + change)
      }
    }
  }
}
