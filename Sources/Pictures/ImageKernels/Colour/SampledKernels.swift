import CKernels

/// Loops over rows of pixels that are converted through a grid of samples. `ProfileKernels` does the same through a
/// matrix.
///
/// Three bands are interpolated between the four corners of a tetrahedron (J. Kasson et al., "Tetrahedral interpolation
/// technique for color space conversion", SPIE 1909, 1993), four bands between two such results, and one band along a
/// line.
package enum SampledKernels {
  /// The points of a grid.
  ///
  /// `@unchecked Sendable`: its memory is written only in `init`.
  package final class Grid: @unchecked Sendable {
    let sourceBands: Int
    let targetBands: Int
    let steps: Int
    /// The points in levels of the target: 0 to 255 or to 65,535, or beyond if the given values exceed 0 to 1. The
    /// first `targetBands` lanes are used. With four source bands, the fourth band changes fastest, so that the points
    /// between which it is interpolated are adjacent.
    let points: UnsafePointer<SIMD4<Float>>
    /// Offsets to corners: see `ColourSampling.corners`.
    let corners: UnsafePointer<Int32>

    /// - Parameter samples: the grid's values from 0 to 1. Values may exceed this range; the results are then clipped.
    ///   The first band of the source changes fastest.
    package init(_ samples: [Float], steps: Int, sourceBands: Int, targetBands: Int, sampleBytes: Int) {
      let count = (0..<sourceBands).reduce(1) { total, _ in total * steps }
      precondition(samples.count == count * targetBands && steps > 1 && steps <= 4096)
      precondition(sourceBands < 4 || steps <= 40)
      (self.sourceBands, self.targetBands, self.steps) = (sourceBands, targetBands, steps)
      let top: Float = sampleBytes == 1 ? 255 : 65_535
      let points = UnsafeMutablePointer<SIMD4<Float>>.allocate(capacity: count)
      let cube = count / steps
      for index in 0..<count {
        var point = SIMD4<Float>()
        for band in 0..<targetBands { point[band] = samples[index * targetBands + band] * top }
        points[sourceBands == 4 ? index % cube * steps + index / cube : index] = point
      }
      self.points = UnsafePointer(points)
      corners = Self.corners(steps, across: sourceBands == 4 ? steps : 1)
    }

    deinit {
      points.deallocate()
      corners.deallocate()
    }

    /// - Parameter across: the number of points from one step of the first band to the next.
    private static func corners(_ steps: Int, across: Int) -> UnsafePointer<Int32> {
      let (x, y, z) = (across, across * steps, across * steps * steps)
      // The orders are those of `ColourSampling.corners`: 0 is impossible; in order 7, all three fractions are equal.
      let places = [0, 0, x, x + z, y, x + y, x, x + y, z, y + z, z, x + z, y, y + z, x, x + y, x + y + z]
      return makeTable(places.count) { Int32(16 * places[$0]) }
    }
  }

  /// Converts a row. Alpha follows the colours in both source and destination if `hasAlpha` is true.
  package static func convert(
    _ source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, width: Int, hasAlpha: Bool, sampleBytes: Int,
    by grid: Grid, _ instructions: InstructionSet = .current
  ) {
    let scale = Float(grid.steps - 1) / (sampleBytes == 1 ? 255 : 65_535)
    guard grid.sourceBands > 1 else {
      if sampleBytes == 1 {
        convertGray(
          source.assumingMemoryBound(to: UInt8.self), destination.assumingMemoryBound(to: UInt8.self), width, hasAlpha,
          scale, grid)
      } else {
        convertGray(
          source.assumingMemoryBound(to: UInt16.self), destination.assumingMemoryBound(to: UInt16.self), width,
          hasAlpha, scale, grid)
      }
      return
    }
    var sampling = ColourSampling(
      source: source, output: destination, count: width, sourceBands: grid.sourceBands, targetBands: grid.targetBands,
      sourceSamples: grid.sourceBands + (hasAlpha ? 1 : 0), outputSamples: grid.targetBands + (hasAlpha ? 1 : 0),
      hasAlpha: hasAlpha, sampleBytes: sampleBytes, points: grid.points, steps: grid.steps, scale: scale,
      corners: grid.corners)
    ResampleKernels(instructions).sampleColours(&sampling)
  }

  private static func convertGray<Sample: StoredSample>(
    _ source: UnsafePointer<Sample>, _ destination: UnsafeMutablePointer<Sample>, _ width: Int, _ hasAlpha: Bool,
    _ scale: Float, _ grid: Grid
  ) {
    let (inBands, outBands) = (hasAlpha ? 2 : 1, grid.targetBands + (hasAlpha ? 1 : 0))
    var (from, to) = (source, destination)
    for _ in 0..<width {
      let position = from[0].number * scale
      let index = min(Int(position), grid.steps - 2)
      let point = grid.points[index] + (grid.points[index + 1] - grid.points[index]) * (position - Float(index))
      let inRange = point.clamped(lowerBound: SIMD4(), upperBound: SIMD4(repeating: Sample.top))
      let levels = unsafeBitCast(inRange + 8_388_608, to: SIMD4<UInt32>.self) & 0x7f_ffff
      for band in 0..<grid.targetBands { to[band] = Sample(lowBits: levels[band]) }
      if hasAlpha { to[outBands - 1] = from[inBands - 1] }
      from += inBands
      to += outBands
    }
  }
}
