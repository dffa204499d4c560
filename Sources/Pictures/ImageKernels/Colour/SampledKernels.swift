/// Loops over rows of pixels that are converted by a grid of samples, as `ProfileKernels` are by a matrix.
///
/// Three bands are interpolated among the four corners of a tetrahedron (J. Kasson et al., "Tetrahedral interpolation
/// technique for color space conversion", SPIE 1909, 1993), four bands between two of those, and one along a line.
public enum SampledKernels {
  /// The points of a grid.
  ///
  /// `@unchecked Sendable`: nothing changes after `init`.
  public final class Grid: @unchecked Sendable {
    let sourceBands: Int
    let targetBands: Int
    let steps: Int
    /// Each point from 0 to the top of the samples, in lanes of which the first `targetBands` count.
    let points: UnsafePointer<SIMD4<Float>>

    /// - Parameter samples: from 0 to 1; the first band of the source changes fastest.
    public init(_ samples: [Float], steps: Int, sourceBands: Int, targetBands: Int, sampleBytes: Int) {
      let count = (0..<sourceBands).reduce(1) { total, _ in total * steps }
      precondition(samples.count == count * targetBands && steps > 1)
      (self.sourceBands, self.targetBands, self.steps) = (sourceBands, targetBands, steps)
      let top: Float = sampleBytes == 1 ? 255 : 65_535
      let points = UnsafeMutablePointer<SIMD4<Float>>.allocate(capacity: count)
      for index in 0..<count {
        var point = SIMD4<Float>()
        for band in 0..<targetBands { point[band] = samples[index * targetBands + band] * top }
        points[index] = point
      }
      self.points = UnsafePointer(points)
    }

    deinit { points.deallocate() }
  }

  /// Converts a row. Alpha follows the colours on both sides, if `hasAlpha`.
  public static func convert(
    _ source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, width: Int, hasAlpha: Bool, sampleBytes: Int,
    by grid: Grid
  ) {
    if sampleBytes == 1 {
      convert(
        source.assumingMemoryBound(to: UInt8.self), destination.assumingMemoryBound(to: UInt8.self), width, hasAlpha,
        Float(grid.steps - 1) / 255, grid)
    } else {
      convert(
        source.assumingMemoryBound(to: UInt16.self), destination.assumingMemoryBound(to: UInt16.self), width, hasAlpha,
        Float(grid.steps - 1) / 65_535, grid)
    }
  }

  private static func convert<Sample: StoredSample>(
    _ source: UnsafePointer<Sample>, _ destination: UnsafeMutablePointer<Sample>, _ width: Int, _ hasAlpha: Bool,
    _ scale: Float, _ grid: Grid
  ) {
    let (inBands, outBands) = (grid.sourceBands + (hasAlpha ? 1 : 0), grid.targetBands + (hasAlpha ? 1 : 0))
    let last = grid.steps - 2
    var (from, to) = (source, destination)
    for _ in 0..<width {
      @inline(__always) func place(_ band: Int) -> (index: Int, rest: Float) {
        let position = from[band].number * scale
        let index = min(Int(position), last)
        return (index, position - Float(index))
      }
      let point: SIMD4<Float>
      switch grid.sourceBands {
      case 1:
        let (index, rest) = place(0)
        point = grid.points[index] + (grid.points[index + 1] - grid.points[index]) * rest
      case 3:
        point = tetrahedron(place(0), place(1), place(2), grid.points, grid.steps)
      default:
        let (black, rest) = place(3)
        let (c, m, y) = (place(0), place(1), place(2))
        let cube = grid.steps * grid.steps * grid.steps
        let low = tetrahedron(c, m, y, grid.points + black * cube, grid.steps)
        point = low + (tetrahedron(c, m, y, grid.points + (black + 1) * cube, grid.steps) - low) * rest
      }
      let levels = unsafeBitCast(point + 8_388_608, to: SIMD4<UInt32>.self) & 0x7f_ffff
      for band in 0..<grid.targetBands { to[band] = Sample(lowBits: levels[band]) }
      if hasAlpha { to[outBands - 1] = from[inBands - 1] }
      from += inBands
      to += outBands
    }
  }

  @inline(__always)
  private static func tetrahedron(
    _ x: (index: Int, rest: Float), _ y: (index: Int, rest: Float), _ z: (index: Int, rest: Float),
    _ points: UnsafePointer<SIMD4<Float>>, _ steps: Int
  ) -> SIMD4<Float> {
    let (down, deep) = (steps, steps * steps)
    let first = points + (x.index + y.index * down + z.index * deep)
    // From the corner at the origin to that opposite, along the directions in the order of their fractions.
    let (one, two): (Int, Int)
    let (a, b, c): (Float, Float, Float)
    if x.rest >= y.rest {
      if y.rest >= z.rest {
        (one, two, a, b, c) = (1, 1 + down, x.rest, y.rest, z.rest)
      } else if x.rest >= z.rest {
        (one, two, a, b, c) = (1, 1 + deep, x.rest, z.rest, y.rest)
      } else {
        (one, two, a, b, c) = (deep, 1 + deep, z.rest, x.rest, y.rest)
      }
    } else if x.rest >= z.rest {
      (one, two, a, b, c) = (down, 1 + down, y.rest, x.rest, z.rest)
    } else if y.rest >= z.rest {
      (one, two, a, b, c) = (down, down + deep, y.rest, z.rest, x.rest)
    } else {
      (one, two, a, b, c) = (deep, down + deep, z.rest, y.rest, x.rest)
    }
    let all = 1 + down + deep
    return first[0] * (1 - a) + first[one] * (a - b) + first[two] * (b - c) + first[all] * c
  }
}
