#if arch(x86_64)
  import _Builtin_intrinsics.intel

  func floatSamples8(_ input: UnsafeRawPointer, _ count: Int, _ bands: Int, _ output: UnsafeMutableRawPointer) {
    floatSamples(count, bands, 255, output) { floats8(input + $0) }
  }

  func floatSamples16(_ input: UnsafeRawPointer, _ count: Int, _ bands: Int, _ output: UnsafeMutableRawPointer) {
    floatSamples(count, bands, 65_535, output) { floats16(input + $0 &* 2) }
  }

  @inline(__always)
  private func floatSamples(
    _ count: Int, _ bands: Int, _ top: Float, _ output: UnsafeMutableRawPointer, _ read: (_ sample: Int) -> Floats
  ) {
    let step = MemoryLayout<Floats>.size / 4
    var i = 0
    if bands == 0 {
      while i < count {
        output.storeBytes(of: read(i), toByteOffset: i &* 4, as: Floats.self)
        i &+= step
      }
      return
    }
    let unit = 1 / top
    // The factor is alpha / top for colours and exactly 1 for alpha.
    let isFour = bands == 4
    let scale = spreadPixel(
      isFour ? _mm_set_ps(0, unit, unit, unit) : _mm_set_ps(0, unit, 0, unit))
    let one = spreadPixel(isFour ? _mm_set_ps(1, 0, 0, 0) : _mm_set_ps(1, 0, 1, 0))
    while i < count {
      let lanes = read(i)
      let alpha = isFour ? lastOfFour(lanes) : lastOfTwo(lanes)
      let factor = add(multiply(alpha, scale), one)
      output.storeBytes(of: multiply(lanes, factor), toByteOffset: i &* 4, as: Floats.self)
      i &+= step
    }
  }

  /// Returns samples: colours divided by alpha, `colour × (top / alpha)`, and alpha itself, clamped to `0...top` and
  /// rounded to nearest. Where alpha rounds to 0, all bands become 0.
  @inline(__always)
  func straightened(_ lanes: Floats, _ isFour: Bool, _ colours: Floats, _ one: Floats, _ top: Floats) -> Numbers {
    let half = spread(0.5)
    let alpha = larger(isFour ? lastOfFour(lanes) : lastOfTwo(lanes), spread(0))
    let factor = add(divide(colours, alpha), one)
    let straight = larger(smaller(multiply(lanes, factor), top), spread(0))
    // The bits of non-negative floats, read as integers, have the same order as the floats.
    let unseen = signs(subtract(bits(alpha), bits(half)))
    return clear(unseen, wholePart(add(straight, half)))
  }

  @inline(__always) func rounded(_ lanes: Floats, _ top: Floats) -> Numbers {
    wholePart(add(larger(smaller(lanes, top), spread(0)), spread(0.5)))
  }

  func storeLanes8(_ lanes: UnsafeRawPointer, _ count: Int, _ bands: Int, _ output: UnsafeMutableRawPointer) {
    storeLanes(lanes, count, bands, 255) { store8($0, output + $1) }
  }

  func storeLanes16(_ lanes: UnsafeRawPointer, _ count: Int, _ bands: Int, _ output: UnsafeMutableRawPointer) {
    storeLanes(lanes, count, bands, 65_535) { store16($0, output + $1 &* 2) }
  }

  @inline(__always)
  private func storeLanes(
    _ lanes: UnsafeRawPointer, _ count: Int, _ bands: Int, _ limit: Float,
    _ store: (_ numbers: Numbers, _ sample: Int) -> Void
  ) {
    let size = MemoryLayout<Floats>.size
    let top = spread(limit)
    let end = count &* 16
    var at = 0
    if bands == 0 {
      while at < end {
        store(rounded((lanes + at).loadUnaligned(as: Floats.self), top), at &>> 2)
        at &+= size
      }
      return
    }
    let isFour = bands == 4
    let colours = spreadPixel(isFour ? _mm_set_ps(0, limit, limit, limit) : _mm_set_ps(0, limit, 0, limit))
    let one = spreadPixel(isFour ? _mm_set_ps(1, 0, 0, 0) : _mm_set_ps(1, 0, 1, 0))
    while at < end {
      let numbers = straightened((lanes + at).loadUnaligned(as: Floats.self), isFour, colours, one, top)
      store(numbers, at &>> 2)
      at &+= size
    }
  }

  func hasFaintPixels(_ lanes: UnsafeRawPointer, _ count: Int, _ least: Float, _ most: Float) -> Bool {
    // The bits of non-negative floats, read as integers, have the same order as the floats.
    let (low, high) = (bits(spread(least)), bits(spread(most)))
    let size = MemoryLayout<Floats>.size
    var found = number(0)
    var at = 0
    while at < count &* 16 {
      let alpha = bits(larger((lanes + at).loadUnaligned(as: Floats.self), spread(0)))
      found = either(found, clear(subtract(alpha, low), subtract(alpha, high)))
      at &+= size
    }
    return hasSignInLastLane(found)
  }
#endif
