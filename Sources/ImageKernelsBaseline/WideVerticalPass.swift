#if arch(x86_64)
  import _Builtin_intrinsics.intel

  /// Interleaves two rows of 16-bit samples, less 32,768, for `weighPairs16`, in an order of its own.
  ///
  /// - Parameters:
  ///   - count: samples, a multiple of 64; both rows are readable for as many.
  ///   - output: room for 4 bytes a sample.
  public func pairRows16(
    _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, _ count: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    let size = MemoryLayout<Vector>.size
    // Turning the highest bit takes 32,768 away.
    let middle = broadcast(Int32(bitPattern: 0x8000_8000))
    var at = 0
    while at < count &* 2 {
      let p = flip(load(upper + at), middle)
      let q = flip(load(lower + at), middle)
      let out = output + at &* 2
      out.storeBytes(of: unpackLow16(p, q), as: Vector.self)
      out.storeBytes(of: unpackHigh16(p, q), toByteOffset: size, as: Vector.self)
      at &+= size
    }
  }

  /// Weighs pairs of rows of 16-bit samples into one row of floats. Coefficients come in two parts of 16 bits:
  /// `output[i] = highUnit Σ high[k] rows[k][i] + lowUnit Σ low[k] rows[k][i] + 32768`.
  ///
  /// - Parameters:
  ///   - pairs: what `pairRows16` made of each pair of rows.
  ///   - high: two for each pair; `low`: likewise.
  ///   - pairCount: how many pairs.
  ///   - count: samples, a multiple of 128; `output` has room for as many floats.
  public func weighPairs16(
    _ pairs: UnsafePointer<UnsafeRawPointer>, _ high: UnsafePointer<Int16>,
    _ low: UnsafePointer<Int16>, _ pairCount: Int, _ highUnit: Float, _ lowUnit: Float,
    _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    let size = MemoryLayout<Vector>.size
    let highWeights = UnsafeRawPointer(high)
    let lowWeights = UnsafeRawPointer(low)
    let (highScale, lowScale) = (spread(highUnit), spread(lowUnit))
    let zero = broadcast(0)
    var at = 0
    while at < count &* 4 {
      var high0 = zero
      var high1 = zero
      var high2 = zero
      var high3 = zero
      var low0 = zero
      var low1 = zero
      var low2 = zero
      var low3 = zero
      var k = 0
      while k < pairCount {
        let highWeight = broadcast(
          highWeights.loadUnaligned(fromByteOffset: k &* 4, as: Int32.self))
        let lowWeight = broadcast(
          lowWeights.loadUnaligned(fromByteOffset: k &* 4, as: Int32.self))
        let pair = pairs[k] + at
        let first = load(pair)
        high0 = dot(high0, first, highWeight)
        low0 = dot(low0, first, lowWeight)
        let second = load(pair + size)
        high1 = dot(high1, second, highWeight)
        low1 = dot(low1, second, lowWeight)
        let third = load(pair + 2 &* size)
        high2 = dot(high2, third, highWeight)
        low2 = dot(low2, third, lowWeight)
        let fourth = load(pair + 3 &* size)
        high3 = dot(high3, fourth, highWeight)
        low3 = dot(low3, fourth, lowWeight)
        k &+= 1
      }
      storeLanes(
        joined(high0, low0, highScale, lowScale), joined(high1, low1, highScale, lowScale),
        output + at)
      storeLanes(
        joined(high2, low2, highScale, lowScale), joined(high3, low3, highScale, lowScale),
        output + at + 2 &* size)
      at &+= 4 &* size
    }
  }

  @inline(__always)
  private func joined(
    _ high: Vector, _ low: Vector, _ highScale: Floats, _ lowScale: Floats
  ) -> Vector {
    let sum = add(multiply(floats(high), highScale), multiply(floats(low), lowScale))
    return bits(add(sum, spread(32_768)))
  }
#endif
