#if arch(x86_64)
  /// Weighs a block of columns of 16-bit rows into up to eight target rows of floats, less 32,768 and rounded
  /// to 64ths, and interleaves these: eight floats for each sample, one of each target row.
  ///
  /// Each sum begins at -32,768 and adds the products in the order of the rows, each by one fused step:
  /// `sum = fused(sum + weight × sample)`.
  ///
  /// - Parameters:
  ///   - rows: addresses of source rows.
  ///   - offset: bytes from these addresses to the first sample.
  ///   - count: samples, a multiple of 64; rows are readable for as many.
  ///   - ranges: of each target row the first of its rows and the end; neither ever goes back.
  ///   - weights: of each target row `taps` weights, whole multiples of 2^-24 up to 1.
  ///   - targets: 1 to 8; what is written for other target rows are any finite numbers.
  ///   - sums: room for `8 count` floats, which hold finite numbers.
  ///   - output: room for `8 count` floats.
  ///   - ahead: addresses of `aheadCount` rows, of which bytes `aheadFirst..<aheadEnd` are soon needed.
  public func weighWideRows(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ count: Int,
    _ ranges: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, _ taps: Int, _ targets: Int,
    _ sums: UnsafeMutableRawPointer, _ output: UnsafeMutableRawPointer,
    _ ahead: UnsafePointer<UnsafeRawPointer>, _ aheadCount: Int, _ aheadFirst: Int, _ aheadEnd: Int
  ) {
    let size = count &* 4
    let pieces = aheadCount &* ((aheadEnd &- aheadFirst &+ 255) &>> 8)
    // Two for each four target rows and piece of a row.
    let steps = size / RowSums.size &* 4
    var fetching = Ahead(
      rows: ahead, end: aheadCount, at: aheadFirst, first: aheadFirst, last: aheadEnd,
      pieces: (pieces &+ steps &- 1) / steps)
    weighByFours(
      .wide, rows, offset, size, ranges, weights, taps, targets, sums, size, &fetching)
    interleaveEight(sums, size, output)
  }
#endif
