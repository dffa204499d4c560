/// Returns the sum of squared differences between two runs of 8-bit samples.
public func squaredDifference(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, _ count: Int) -> UInt64 {
  var sum: UInt64 = 0
  var start = 0
  while start < count {
    // The largest sum, 65,025 times 65,536, just fits into 32 bits.
    let end = min(count, start + 65_536)
    var part: UInt32 = 0
    for index in start..<end {
      let difference =
        Int32(first.load(fromByteOffset: index, as: UInt8.self))
        - Int32(second.load(fromByteOffset: index, as: UInt8.self))
      part &+= UInt32(truncatingIfNeeded: difference &* difference)
    }
    sum += UInt64(part)
    start = end
  }
  return sum
}
