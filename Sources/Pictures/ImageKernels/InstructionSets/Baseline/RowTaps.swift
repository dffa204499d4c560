#if arch(x86_64)
  import CKernels
  import CProcessor

  // The types are tuples, because a structure that is not private would have metadata, whose symbols are weak.

  /// A target row's source rows and weights; the weight of row `k` is `weights[k]`.
  typealias RowTaps = (first: Int, end: Int, weights: UnsafePointer<Float>)

  @inline(__always)
  func rowTaps(_ pass: VerticalPassIntoFloats, _ target: Int) -> RowTaps {
    let first = Int(truncatingIfNeeded: pass.ranges[2 &* target])
    return (
      first, Int(truncatingIfNeeded: pass.ranges[2 &* target &+ 1]), pass.weights + (target &* pass.taps &- first)
    )
  }

  /// The progress of prefetching several rows, one after another, into the second-level cache. `fetch` prefetches a few
  /// pieces of 256 bytes, because processors drop prefetches beyond a dozen cache lines at once. `at` is the offset of
  /// the next piece from the address of its row.
  typealias Ahead = (rows: RowAddresses, row: Int, end: Int, at: Int, first: Int, last: Int, pieces: Int)

  /// - Parameter times: the number of calls of `fetch`. The pieces of the pass's `ahead` rows are divided among them.
  @inline(__always)
  func fetching(_ pass: VerticalPassIntoFloats, times: Int) -> Ahead {
    let (first, last) = (pass.aheadFirst, pass.aheadEnd)
    let pieces = pass.aheadCount &* ((last &- first &+ 255) &>> 8)
    return (pass.ahead, 0, first < last ? pass.aheadCount : 0, first, first, last, (pieces &+ times &- 1) / times)
  }

  @inline(__always)
  func fetch(_ ahead: inout Ahead) {
    var left = ahead.pieces
    while left > 0, ahead.row < ahead.end {
      imghost_prefetch_four_lines(ahead.rows[ahead.row] + ahead.at)
      ahead.at &+= 256
      if ahead.at >= ahead.last {
        ahead.at = ahead.first
        ahead.row &+= 1
      }
      left &-= 1
    }
  }

  /// Rounds numbers below 65,536 in magnitude to 64ths, which are the last bit of floats from 131,072 to 262,143.
  @inline(__always)
  func roundedTo64ths(_ a: Floats) -> Floats { add(add(a, spread(196_608)), spread(-196_608)) }
#endif
