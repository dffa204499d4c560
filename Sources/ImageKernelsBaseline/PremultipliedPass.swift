#if arch(x86_64)
  /// Weighs a block of columns of 8-bit rows of four bands, the last of which is alpha, into up to four target
  /// rows of floats, colours weighted by alpha: `Σ weight × (colour × alpha)`, times 1 / 255, and
  /// `Σ weight × alpha`, products and sums rounded apart, in the order of the rows.
  ///
  /// - Parameters:
  ///   - rows: addresses of source rows.
  ///   - offset: bytes from these addresses to the first sample.
  ///   - count: samples, a multiple of 64; rows are readable for as many.
  ///   - ranges: of each target row the first of its rows and the end; neither ever goes back.
  ///   - weights: of each target row `taps` weights.
  ///   - targets: 1 to 4.
  ///   - output: room for `count` floats of each target row, `stride` bytes apart.
  ///   - ahead: bytes of the rows that are soon needed, from these addresses.
  public func weighPremultipliedRows8(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ rowCount: Int, _ offset: Int, _ count: Int,
    _ ranges: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, _ taps: Int, _ targets: Int,
    _ output: UnsafeMutableRawPointer, _ stride: Int, _ aheadFirst: Int, _ aheadEnd: Int
  ) {
    let size = count &* 4
    let pieces = rowCount &* ((aheadEnd &- aheadFirst &+ 255) &>> 8)
    let steps = size / RowSums.size &* 2
    var fetching = Ahead(
      rows: rows, end: aheadFirst < aheadEnd ? rowCount : 0, at: aheadFirst, first: aheadFirst,
      last: aheadEnd, pieces: (pieces &+ steps &- 1) / steps)
    weighByFours(
      .premultiplied, rows, offset, size, ranges, weights, taps, targets, output, stride,
      &fetching)
  }
#endif
