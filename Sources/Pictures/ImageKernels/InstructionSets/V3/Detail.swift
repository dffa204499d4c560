#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  func addDetail(_ pass: UnsafePointer<DetailPass>) {
    if pass.pointee.sampleBytes == 1 {
      addDetail(pass.pointee, 255, { eightSamples8($0) }, { storeEight8($0, $1) })
    } else {
      addDetail(pass.pointee, 65_535, { eightSamples16($0) }, { storeEight16($0, $1) })
    }
  }

  @inline(__always)
  private func addDetail(
    _ pass: DetailPass, _ top: Float, _ samples: (UnsafeRawPointer) -> __m256,
    _ store: (__m256i, UnsafeMutableRawPointer) -> Void
  ) {
    let (amount, threshold) = (each(pass.amount), each(pass.threshold))
    let zero = _mm256_setzero_ps()
    let places = UnsafeRawPointer(pass.places)
    var row = pass.row
    var x = 0
    while x < pass.count {
      let difference = _mm256_sub_ps(eightFloats(pass.luma + x), eightFloats(pass.blurred + x))
      let kept = _mm256_add_ps(
        _mm256_max_ps(zero, _mm256_sub_ps(difference, threshold)),
        _mm256_min_ps(zero, _mm256_add_ps(difference, threshold)))
      let change = _mm256_mul_ps(amount, kept)
      var band = 0
      while band < pass.bands {
        let place = (places + 32 &* band).loadUnaligned(as: __m256i.self)
        let stays = _mm256_castsi256_ps(_mm256_srai_epi32(place, 31))
        let own = _mm256_andnot_ps(stays, _mm256_permutevar8x32_ps(change, place))
        store(nearestEight(_mm256_add_ps(samples(row), own), top), row)
        row += 8 &* pass.sampleBytes
        band &+= 1
      }
      x &+= 8
    }
  }

  func widenLuma(_ pass: UnsafePointer<LumaPass>) {
    let pass = pass.pointee
    var row = pass.row
    var x = 0
    while x < pass.count {
      let (red, green, blue): (__m256i, __m256i, __m256i)
      if pass.sampleBytes == 1 {
        let (pixels, byte) = (wholePixels8(row, pass.bands), number8(0xff))
        red = _mm256_and_si256(pixels, byte)
        green = _mm256_and_si256(_mm256_srli_epi32(pixels, 8), byte)
        blue = _mm256_and_si256(_mm256_srli_epi32(pixels, 16), byte)
      } else {
        let pairs = firstPairs16(row, pass.bands)
        red = _mm256_and_si256(pairs, number8(0xffff))
        green = _mm256_srli_epi32(pairs, 16)
        blue = _mm256_srli_epi32(firstPairs16(row + 2, pass.bands), 16)
      }
      let colours = _mm256_add_ps(
        _mm256_mul_ps(each(0.2126), _mm256_cvtepi32_ps(red)), _mm256_mul_ps(each(0.7152), _mm256_cvtepi32_ps(green)))
      let luma = _mm256_add_ps(colours, _mm256_mul_ps(each(0.0722), _mm256_cvtepi32_ps(blue)))
      UnsafeMutableRawPointer(pass.output + x).storeBytes(of: luma, as: __m256.self)
      row += 8 &* pass.bands &* pass.sampleBytes
      x &+= 8
    }
  }
#endif
