#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// Converts pixels in general-purpose registers, because no vector instruction looks up bytes in large tables.
  func convertMatrix8(_ pass: UnsafePointer<MatrixPass8>) {
    let pass = pass.pointee
    let (red, green, blue) = (pass.parts, pass.parts + 256, pass.parts + 512)
    let levels = pass.levels
    let shift = UInt64(truncatingIfNeeded: pass.levelShift)
    let mask: UInt64 = 0x1f_ffff &>> shift
    let bands = pass.bands
    var pixel = pass.row.assumingMemoryBound(to: UInt8.self)
    var left = pass.count
    while left > 0 {
      let light = red[Int(pixel[0])] &+ green[Int(pixel[1])] &+ blue[Int(pixel[2])]
      let index = light &>> shift
      pixel[0] = levels.0[Int(truncatingIfNeeded: index & mask)]
      pixel[1] = levels.1[Int(truncatingIfNeeded: (index &>> 21) & mask)]
      pixel[2] = levels.2[Int(truncatingIfNeeded: index &>> 42)]
      pixel += bands
      left &-= 1
    }
  }

  func convertMatrix16(_ pass: UnsafePointer<MatrixPass16>) {
    let pass = pass.pointee
    let (light, levels, bands) = (pass.light, pass.levels, pass.bands)
    let columns = fourColumns(pass.columns)
    let (zero, one, steps) = (_mm_setzero_ps(), _mm_set1_ps(1), _mm_set1_ps(65_535))
    var pixel = pass.row.assumingMemoryBound(to: UInt16.self)
    var left = pass.count
    while left > 0 {
      let sum = _mm_add_ps(
        _mm_mul_ps(columns.0, _mm_set1_ps(light.0[Int(pixel[0])])),
        _mm_mul_ps(columns.1, _mm_set1_ps(light.1[Int(pixel[1])])))
      let colour = _mm_add_ps(sum, _mm_mul_ps(columns.2, _mm_set1_ps(light.2[Int(pixel[2])])))
      let root = _mm_sqrt_ps(_mm_max_ps(_mm_min_ps(colour, one), zero))
      let index = _mm_cvtps_epi32(_mm_mul_ps(root, steps))
      let pair = _mm_cvtsi128_si64(index)
      pixel[0] = levels.0[Int(pair & 0xffff)]
      pixel[1] = levels.1[Int(truncatingIfNeeded: pair &>> 32)]
      pixel[2] = levels.2[Int(_mm_cvtsi128_si32(_mm_unpackhi_epi64(index, index)))]
      pixel += bands
      left &-= 1
    }
  }
#endif
