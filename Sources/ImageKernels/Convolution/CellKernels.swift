/// Loops that average pixels into coarser cells and interpolate between cells.
public enum CellKernels {
  /// Averages groups of `side` pixels of a row of floats.
  ///
  /// - Parameters:
  ///   - row: `cells * side` pixels.
  ///   - destination: room for `cells` pixels.
  public static func average(
    _ row: UnsafePointer<Float>, side: Int, bands: Int, cells: Int,
    into destination: UnsafeMutablePointer<Float>
  ) {
    let share = 1 / Float(side)
    for cell in 0..<cells {
      for band in 0..<bands {
        let from = row + cell * side * bands + band
        var sum: Float = 0
        for x in 0..<side { sum += from[x * bands] }
        destination[cell * bands + band] = sum * share
      }
    }
  }

  /// Adds `share` times a row to another.
  public static func add(
    _ row: UnsafePointer<Float>, times share: Float, count: Int,
    to sum: UnsafeMutablePointer<Float>
  ) {
    for index in 0..<count { sum[index] += row[index] * share }
  }

  /// Interpolates a row of cells along itself: pixel x lies `(x + 1/2) / side - 1/2` cells behind the
  /// middle of cell 0.
  ///
  /// - Parameters:
  ///   - cells: from cell -1 to the one after the last.
  ///   - destination: room for `width` pixels.
  public static func interpolate(
    _ cells: UnsafePointer<Float>, side: Int, bands: Int, width: Int,
    into destination: UnsafeMutablePointer<Float>
  ) {
    for x in 0..<width {
      let place = CellPlace(pixel: x, side: side)
      let from = cells + (place.cell + 1) * bands
      for band in 0..<bands {
        destination[x * bands + band] =
          from[band] + (from[bands + band] - from[band]) * place.fraction
      }
    }
  }

  /// Interpolates between two rows of cells.
  public static func mix(
    _ upper: UnsafePointer<Float>, _ lower: UnsafePointer<Float>, fraction: Float, count: Int,
    into destination: UnsafeMutablePointer<Float>
  ) {
    for index in 0..<count {
      destination[index] = upper[index] + (lower[index] - upper[index]) * fraction
    }
  }
}

/// Where a pixel lies among the middles of cells.
public struct CellPlace: Sendable {
  /// The last cell whose middle is not beyond the pixel's; -1 or more.
  public let cell: Int
  /// How far the pixel is on the way to the next cell's middle, 0 to 1.
  public let fraction: Float

  public init(pixel: Int, side: Int) {
    // In halves of a pixel, from the middle of cell -1.
    let distance = 2 * pixel + 1 + side
    cell = distance / (2 * side) - 1
    fraction = Float(distance % (2 * side)) / Float(2 * side)
  }
}
