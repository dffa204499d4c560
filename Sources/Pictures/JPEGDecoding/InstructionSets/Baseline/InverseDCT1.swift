/// Computes one sample for each of several neighbouring blocks, as `jpeg_idct_1x1` in libjpeg's `jidctred.c` does.
///
/// - Parameters:
///   - coefficients: `count` DC coefficients, dequantised.
///   - output: `count` samples.
public func inverseDCT1(_ coefficients: UnsafePointer<Int16>, _ count: Int, _ output: UnsafeMutablePointer<UInt8>) {
  var index = 0
  while index < count {
    let sample = (coefficients[index] &+ 4) &>> 3 &+ 128
    output[index] = UInt8(truncatingIfNeeded: min(max(sample, 0), 255))
    index &+= 1
  }
}
