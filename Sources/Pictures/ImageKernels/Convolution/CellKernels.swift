/// Loops that average pixels into coarser cells and interpolate between cells.
///
/// Each pixel has up to four floats, and is loaded and stored as four, so rows need room for three floats after their
/// last pixel.
package enum CellKernels {
  /// Adds a row of samples to sums.
  ///
  /// - Parameter row: `count` samples of `sampleBytes` bytes.
  package static func add(_ row: UnsafeRawPointer, sampleBytes: Int, count: Int, to sums: UnsafeMutablePointer<Float>) {
    if sampleBytes == 1 {
      add(row.assumingMemoryBound(to: UInt8.self), count, sums)
    } else {
      add(row.assumingMemoryBound(to: UInt16.self), count, sums)
    }
  }

  private static func add<Sample: StoredSample>(
    _ row: UnsafePointer<Sample>, _ count: Int, _ sums: UnsafeMutablePointer<Float>
  ) {
    for index in 0..<count { sums[index] += row[index].number }
  }

  /// Adds a row of floats to sums.
  package static func add(_ row: UnsafePointer<Float>, count: Int, to sums: UnsafeMutablePointer<Float>) {
    for index in 0..<count { sums[index] += row[index] }
  }

  /// Sums groups of `side` pixels of a row of floats, and multiplies the sums by `scale`.
  ///
  /// - Parameters:
  ///   - row: `cells * side` pixels.
  ///   - destination: `cells` pixels; nothing after them is written.
  package static func sum(
    _ row: UnsafePointer<Float>, side: Int, bands: Int, cells: Int, scale: Float,
    into destination: UnsafeMutablePointer<Float>
  ) {
    for cell in 0..<cells {
      let from = row + cell * side * bands
      var sum = four(from)
      for x in 1..<side { sum += four(from + x * bands) }
      sum *= scale
      if cell + 1 < cells {
        store(sum, destination + cell * bands)
      } else {
        for band in 0..<bands { destination[cell * bands + band] = sum[band] }
      }
    }
  }

  /// Interpolates a row of cells horizontally: pixel x is `(x + 1/2) / side - 1/2` cells after the centre of cell 0.
  ///
  /// - Parameters:
  ///   - cells: the cells from -1 to the one after the last.
  ///   - destination: room for `width` pixels.
  package static func interpolate(
    _ cells: UnsafePointer<Float>, side: Int, bands: Int, width: Int, into destination: UnsafeMutablePointer<Float>
  ) {
    // Lengths are in half pixels: `whole` is a cell's width, and `distance` is from a cell's centre to the pixel's.
    let whole = 2 * side
    var distance = 1 + side
    var from = cells
    if distance >= whole {
      distance -= whole
      from += bands
    }
    let scale = 1 / Float(whole)
    var x = 0
    while x < width {
      let start = four(from)
      let way = (four(from + bands) - start) * scale
      while distance < whole && x < width {
        store(start + way * Float(distance), destination + x * bands)
        distance += 2
        x += 1
      }
      distance -= whole
      from += bands
    }
  }

  /// Interpolates between two rows.
  package static func mix(
    _ upper: UnsafePointer<Float>, _ lower: UnsafePointer<Float>, fraction: Float, count: Int,
    into destination: UnsafeMutablePointer<Float>
  ) {
    for index in 0..<count { destination[index] = upper[index] + (lower[index] - upper[index]) * fraction }
  }

  @inline(__always)
  private static func four(_ address: UnsafePointer<Float>) -> SIMD4<Float> {
    UnsafeRawPointer(address).loadUnaligned(as: SIMD4<Float>.self)
  }

  @inline(__always)
  private static func store(_ lanes: SIMD4<Float>, _ address: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(address).storeBytes(of: lanes, as: SIMD4<Float>.self)
  }
}

/// The position of a pixel between the centres of cells.
package struct CellPlace: Sendable {
  /// The last cell whose centre is at or before the pixel's centre, at least -1.
  package let cell: Int
  /// The pixel's position between the cell's centre and the next one's, 0 to 1.
  package let fraction: Float

  package init(pixel: Int, side: Int) {
    // The distance in half pixels from the centre of cell -1.
    let distance = 2 * pixel + 1 + side
    cell = distance / (2 * side) - 1
    fraction = Float(distance % (2 * side)) / Float(2 * side)
  }
}
