import CKernels

/// The detail that an unsharp mask adds to a row: the difference between the row's luminance and its blurred luminance.
package struct LumaDetail {
  fileprivate let luma: UnsafePointer<Float>
  fileprivate let blurred: UnsafePointer<Float>
  fileprivate let amount: Float
  fileprivate let threshold: Float

  /// - Parameters:
  ///   - luma: the row's luminance, from `ConvolutionKernels.widenLuma`.
  ///   - blurred: the blurred luminance.
  ///   - amount: the factor for the difference.
  ///   - threshold: the part of the difference that is dropped, in levels of the row's samples.
  package init(luma: UnsafePointer<Float>, blurred: UnsafePointer<Float>, amount: Float, threshold: Float) {
    self.luma = luma
    self.blurred = blurred
    self.amount = amount
    self.threshold = threshold
  }

  /// Returns the detail of the row from pixel `x` on.
  fileprivate func suffix(from x: Int) -> LumaDetail {
    LumaDetail(luma: luma + x, blurred: blurred + x, amount: amount, threshold: threshold)
  }

  @inline(__always)
  fileprivate func at(_ x: Int) -> Float {
    let difference = luma[x] - blurred[x]
    let kept = max(0, difference - threshold) + min(0, difference + threshold)
    return amount * kept
  }
}

/// The last step of an unsharp mask.
package enum SharpenKernels {
  /// Adds the detail to each colour band of a row in place, which changes the luminance but not the hue.
  package static func add(
    _ detail: LumaDetail, to row: UnsafeMutableRawPointer, width: Int, bands: Int, colourBands: Int, sampleBytes: Int,
    _ instructions: InstructionSet = .current
  ) {
    var (detail, row, left) = (detail, row, width)
    if let kernel = ResampleKernels(instructions).addDetail {
      let whole = width & ~7
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: 8 * bands) { places in
        for index in 0..<8 * bands {
          places.initializeElement(at: index, to: index % bands < colourBands ? Int32(index / bands) : -1)
        }
        var pass = DetailPass(
          row: row, count: whole, bands: bands, sampleBytes: sampleBytes, places: UnsafePointer(places.baseAddress!),
          luma: detail.luma, blurred: detail.blurred, amount: detail.amount, threshold: detail.threshold)
        kernel(&pass)
      }
      row += whole * bands * sampleBytes
      left -= whole
      detail = detail.suffix(from: whole)
    }
    if sampleBytes == 1 {
      add(detail, row.assumingMemoryBound(to: UInt8.self), left, bands, colourBands)
    } else {
      add(detail, row.assumingMemoryBound(to: UInt16.self), left, bands, colourBands)
    }
  }

  private static func add<Sample: StoredSample>(
    _ detail: LumaDetail, _ row: UnsafeMutablePointer<Sample>, _ width: Int, _ bands: Int, _ colourBands: Int
  ) {
    for x in 0..<width {
      let pixel = row + x * bands
      let change = detail.at(x)
      for band in 0..<colourBands { pixel[band] = Sample(nearest: pixel[band].number + change) }
    }
  }
}
