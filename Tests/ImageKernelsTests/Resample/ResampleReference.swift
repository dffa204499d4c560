import ImageKernels

/// Resampling by its definition in `Double`, one target pixel at a time, as a reference for the fast passes.
enum ResampleReference {
  /// Returns the weights of all source samples for one target sample, from the kernel's definition.
  static func weights(_ kernel: ResampleKernel, _ index: Int, count: Int, start: Double, length: Double, sources: Int)
    -> [(x: Int, weight: Double)]
  {
    let step = length / Double(count)
    let centre = start + (Double(index) + 0.5) * step
    if kernel == .nearest { return [(min(Int(centre), sources - 1), 1)] }
    let scale = max(1, step)
    let raw = (0..<sources).map { ($0, kernel.weight((Double($0) + 0.5 - centre) / scale)) }.filter { $0.1 != 0 }
    let sum = raw.reduce(0) { $0 + $1.1 }
    return raw.map { (x: $0.0, weight: $0.1 / sum) }
  }

  /// Returns the samples of the target, interleaved, unrounded and rounded. Also returns the pixels whose alpha is half
  /// a level except for rounding errors, because these may as well be all 0.
  static func resample(
    _ samples: [Int], _ geometry: ResampleGeometry, _ pixels: ResamplePixels, _ kernel: ResampleKernel
  ) -> (exact: [Double], rounded: [Int], halves: Set<Int>) {
    let top = pixels.bytesPerSample == 1 ? 255.0 : 65_535
    let bands = pixels.bands
    let premultiplies = pixels.hasAlpha && kernel != .nearest
    let columns = (0..<geometry.targetWidth).map {
      weights(
        kernel, $0, count: geometry.targetWidth, start: geometry.box.left,
        length: geometry.box.width,
        sources: geometry.sourceWidth)
    }
    var source = samples.map(Double.init)
    if premultiplies {
      for pixel in stride(from: 0, to: source.count, by: bands) {
        for band in 0..<bands - 1 { source[pixel + band] *= source[pixel + bands - 1] / top }
      }
    }
    let wide = horizontal(source, geometry, bands, columns)
    var exact: [Double] = []
    var halves: Set<Int> = []
    for y in 0..<geometry.targetHeight {
      let rows = weights(
        kernel, y, count: geometry.targetHeight, start: geometry.box.top,
        length: geometry.box.height,
        sources: geometry.sourceHeight)
      let rowSize = geometry.targetWidth * bands
      var row = [Double](repeating: 0, count: rowSize)
      for (source, weight) in rows {
        for index in 0..<rowSize { row[index] += weight * wide[source * rowSize + index] }
      }
      if premultiplies {
        for pixel in stride(from: 0, to: rowSize, by: bands)
        where (row[pixel + bands - 1] - 0.5).magnitude < 1e-9 {
          halves.insert(exact.count + pixel)
        }
        divide(&row, bands, top)
      }
      exact += row
    }
    exact = exact.map { min(max($0, 0), top) }
    return (exact, exact.map { Int(($0 + 0.5).rounded(.down)) }, halves)
  }

  private static func horizontal(
    _ source: [Double], _ geometry: ResampleGeometry, _ bands: Int, _ columns: [[(x: Int, weight: Double)]]
  ) -> [Double] {
    var wide: [Double] = []
    wide.reserveCapacity(geometry.sourceHeight * geometry.targetWidth * bands)
    for y in 0..<geometry.sourceHeight {
      let row = y * geometry.sourceWidth * bands
      for column in columns {
        for band in 0..<bands {
          var sum = 0.0
          for (x, weight) in column { sum += weight * source[row + x * bands + band] }
          wide.append(sum)
        }
      }
    }
    return wide
  }

  private static func divide(_ row: inout [Double], _ bands: Int, _ top: Double) {
    for pixel in stride(from: 0, to: row.count, by: bands) {
      let alpha = row[pixel + bands - 1]
      for band in 0..<bands - 1 { row[pixel + band] = alpha < 0.5 ? 0 : row[pixel + band] * top / alpha }
      if alpha < 0.5 { row[pixel + bands - 1] = 0 }
    }
  }
}
