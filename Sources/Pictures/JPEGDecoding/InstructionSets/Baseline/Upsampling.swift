/// Doubles the length of a row of samples by a triangle filter, as `h2v1_fancy_upsample` in libjpeg's `jdsample.c`
/// does.
///
/// - Parameters:
///   - row: `count` samples, with one more sample on either side: a neighbour, or a copy of the outermost sample.
///   - output: room for `2 * count` samples.
public func doubleRow(_ row: UnsafePointer<UInt8>, _ count: Int, _ output: UnsafeMutablePointer<UInt8>) {
  var index = 0
  while index < count {
    let near = UInt16(row[index]) &* 3
    let left = (near &+ UInt16(row[index &- 1]) &+ 1) &>> 2
    let right = (near &+ UInt16(row[index &+ 1]) &+ 2) &>> 2
    output[2 &* index] = UInt8(truncatingIfNeeded: left)
    output[2 &* index &+ 1] = UInt8(truncatingIfNeeded: right)
    index &+= 1
  }
}

/// Mixes a row of samples with the row above or below, and doubles the length of the result by a triangle filter, as
/// `h2v2_fancy_upsample` in libjpeg's `jdsample.c` does.
///
/// - Parameters:
///   - near: the row with weight 3, `count` samples.
///   - far: the row above or below, with weight 1.
///   - sums: scratch memory for `count + 2` numbers.
///   - output: room for `2 * count` samples.
public func doubleRows(
  _ near: UnsafePointer<UInt8>, _ far: UnsafePointer<UInt8>, _ count: Int,
  _ sums: UnsafeMutablePointer<UInt16>, _ output: UnsafeMutablePointer<UInt8>
) {
  let inner = sums + 1
  var index = 0
  while index < count {
    inner[index] = UInt16(near[index]) &* 3 &+ UInt16(far[index])
    index &+= 1
  }
  inner[-1] = inner[0]
  inner[count] = inner[count &- 1]
  index = 0
  while index < count {
    let sum = inner[index] &* 3
    let left = (sum &+ inner[index &- 1] &+ 8) &>> 4
    let right = (sum &+ inner[index &+ 1] &+ 7) &>> 4
    output[2 &* index] = UInt8(truncatingIfNeeded: left)
    output[2 &* index &+ 1] = UInt8(truncatingIfNeeded: right)
    index &+= 1
  }
}

/// Computes one of the two output rows that replace a row of samples, as `h1v2_fancy_upsample` in libjpeg's
/// `jdsample.c` does.
///
/// - Parameters:
///   - near: the row with weight 3, `count` samples.
///   - far: the row above or below, with weight 1.
///   - bias: the number added before the division by 4: 1 for the upper row, 2 for the lower row.
///   - output: room for `count` samples.
public func mixRows(
  _ near: UnsafePointer<UInt8>, _ far: UnsafePointer<UInt8>, _ bias: UInt16, _ count: Int,
  _ output: UnsafeMutablePointer<UInt8>
) {
  var index = 0
  while index < count {
    let sum = UInt16(near[index]) &* 3 &+ UInt16(far[index]) &+ bias
    output[index] = UInt8(truncatingIfNeeded: sum &>> 2)
    index &+= 1
  }
}
