#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  // `LabTransform` with vectors, operation for operation; the comments there explain the numbers.

  func transformLab(_ pass: UnsafePointer<LabPass>) {
    let pass = pass.pointee
    let step = 8 &* pass.bands &* pass.sampleBytes
    var row = pass.row
    var left = pass.count
    if pass.sampleBytes == 1 {
      while left > 0 {
        let (red, green, blue) = changed(light8(row, pass), pass)
        var pixels = nearestEight(encoded(red, 255, pass), 255)
        pixels = _mm256_or_si256(pixels, _mm256_slli_epi32(nearestEight(encoded(green, 255, pass), 255), 8))
        pixels = _mm256_or_si256(pixels, _mm256_slli_epi32(nearestEight(encoded(blue, 255, pass), 255), 16))
        if pass.bands == 4 {
          let alpha = _mm256_andnot_si256(number8(0xff_ffff), UnsafeRawPointer(row).loadUnaligned(as: __m256i.self))
          pixels = _mm256_or_si256(pixels, alpha)
        }
        storePixels8(pixels, pass.bands, row)
        row += step
        left &-= 8
      }
      return
    }
    while left > 0 {
      let (red, green, blue) = changed(light16(row, pass), pass)
      let first = nearestEight(encoded(red, 65_535, pass), 65_535)
      let second = nearestEight(encoded(green, 65_535, pass), 65_535)
      var third = nearestEight(encoded(blue, 65_535, pass), 65_535)
      if pass.bands == 4 {
        third = _mm256_or_si256(third, _mm256_andnot_si256(number8(0xffff), firstPairs16(row + 4, 4)))
      }
      storePixels16(_mm256_or_si256(first, _mm256_slli_epi32(second, 16)), third, pass.bands, row)
      row += step
      left &-= 8
    }
  }

  private typealias Light = (red: __m256, green: __m256, blue: __m256)

  @inline(__always)
  private func light8(_ row: UnsafeRawPointer, _ pass: LabPass) -> Light {
    @inline(__always) func band(_ band: Int) -> __m256 {
      @inline(__always) func light(_ pixel: Int) -> Float {
        pass.decode[Int(row.load(fromByteOffset: pixel &* pass.bands &+ band, as: UInt8.self))]
      }
      return _mm256_set_ps(light(7), light(6), light(5), light(4), light(3), light(2), light(1), light(0))
    }
    return (band(0), band(1), band(2))
  }

  @inline(__always)
  private func light16(_ row: UnsafeRawPointer, _ pass: LabPass) -> Light {
    @inline(__always) func band(_ band: Int) -> __m256 {
      @inline(__always) func light(_ pixel: Int) -> Float {
        pass.decode[Int(row.load(fromByteOffset: 2 &* (pixel &* pass.bands &+ band), as: UInt16.self))]
      }
      return _mm256_set_ps(light(7), light(6), light(5), light(4), light(3), light(2), light(1), light(0))
    }
    return (band(0), band(1), band(2))
  }

  /// Returns encoded values of light, interpolated in the table and multiplied by `top`.
  @inline(__always)
  private func encoded(_ light: __m256, _ top: Float, _ pass: LabPass) -> __m256 {
    let inRange = _mm256_max_ps(_mm256_min_ps(light, each(1)), _mm256_setzero_ps())
    let position = _mm256_mul_ps(inRange, each(Float(Int32(truncatingIfNeeded: pass.encodeSteps))))
    let index = _mm256_cvttps_epi32(position)
    let rest = _mm256_sub_ps(position, _mm256_cvtepi32_ps(index))
    // `entries` loads an entry and the next one. `low` and `high` take the first or the second of two 32-bit indices.
    let table = UnsafeRawPointer(pass.encode)
    @inline(__always) func entries(_ place: Int64) -> Int64 {
      table.loadUnaligned(fromByteOffset: Int(place) &* 4, as: Int64.self)
    }
    @inline(__always) func low(_ pair: Int64) -> Int64 { entries(pair & 0xffff_ffff) }
    @inline(__always) func high(_ pair: Int64) -> Int64 { entries(pair &>> 32) }
    let even = _mm256_set_epi64x(low(index[3]), low(index[2]), low(index[1]), low(index[0]))
    let odd = _mm256_set_epi64x(high(index[3]), high(index[2]), high(index[1]), high(index[0]))
    // The vectors have an entry of an even index, an entry of an odd one, and the next entry of each: `e o e' o'`.
    let one = _mm256_castps_pd(_mm256_unpacklo_ps(_mm256_castsi256_ps(even), _mm256_castsi256_ps(odd)))
    let two = _mm256_castps_pd(_mm256_unpackhi_ps(_mm256_castsi256_ps(even), _mm256_castsi256_ps(odd)))
    let entry = _mm256_castpd_ps(_mm256_unpacklo_pd(one, two))
    let next = _mm256_castpd_ps(_mm256_unpackhi_pd(one, two))
    return _mm256_mul_ps(_mm256_add_ps(entry, _mm256_mul_ps(_mm256_sub_ps(next, entry), rest)), each(top))
  }

  @inline(__always)
  private func changed(_ light: Light, _ pass: LabPass) -> Light {
    let fx = compress(weighted(light, 0.4124 / 0.9505, 0.3576 / 0.9505, 0.1805 / 0.9505))
    let fy = compress(weighted(light, 0.2126, 0.7152, 0.0722))
    let fz = compress(weighted(light, 0.0193 / 1.089, 0.1192 / 1.089, 0.9505 / 1.089))
    let lightness = _mm256_sub_ps(_mm256_mul_ps(fy, each(116)), each(16))
    let (a, b) = (
      _mm256_mul_ps(_mm256_sub_ps(fx, fy), each(500)), _mm256_mul_ps(_mm256_sub_ps(fy, fz), each(200))
    )
    let (cosine, sine) = (each(pass.cosine), each(pass.sine))
    let newLightness = _mm256_add_ps(_mm256_mul_ps(lightness, each(pass.scale)), each(pass.shift))
    let newA = _mm256_sub_ps(_mm256_mul_ps(a, cosine), _mm256_mul_ps(b, sine))
    let newB = _mm256_add_ps(_mm256_mul_ps(a, sine), _mm256_mul_ps(b, cosine))
    let f = _mm256_mul_ps(_mm256_add_ps(newLightness, each(16)), each(1.0 / 116))
    let x = expand(_mm256_add_ps(f, _mm256_mul_ps(newA, each(1.0 / 500))))
    let y = expand(f)
    let z = expand(_mm256_sub_ps(f, _mm256_mul_ps(newB, each(1.0 / 200))))
    let relative = (red: x, green: y, blue: z)
    return (
      weighted(relative, 3.0802145162, -1.5372079722, -0.5430065440),
      weighted(relative, -0.9209686444, 1.8757560609, 0.0452125835),
      weighted(relative, 0.0529524695, -0.2040210506, 1.1510685811)
    )
  }

  @inline(__always)
  private func weighted(_ light: Light, _ red: Float, _ green: Float, _ blue: Float) -> __m256 {
    let two = _mm256_add_ps(_mm256_mul_ps(light.red, each(red)), _mm256_mul_ps(light.green, each(green)))
    return _mm256_add_ps(two, _mm256_mul_ps(light.blue, each(blue)))
  }

  /// Returns `line` where `value` is not above `limit`, otherwise `curve`. The bits of non-negative floats, read as
  /// integers, have the same order as the floats; those of negative floats are negative.
  @inline(__always)
  private func replaced(_ curve: __m256, _ line: __m256, _ value: __m256, _ limit: Float) -> __m256 {
    let isAbove = _mm256_castsi256_ps(
      _mm256_cmpgt_epi32(_mm256_castps_si256(value), _mm256_castps_si256(each(limit))))
    return _mm256_blendv_ps(line, curve, isAbove)
  }

  @inline(__always)
  private func compress(_ value: __m256) -> __m256 {
    let line = _mm256_add_ps(_mm256_mul_ps(value, each(841.0 / 108)), each(4.0 / 29))
    return replaced(cubeRoot(value), line, value, 216.0 / 24_389)
  }

  @inline(__always)
  private func expand(_ value: __m256) -> __m256 {
    let line = _mm256_mul_ps(_mm256_sub_ps(value, each(4.0 / 29)), each(108.0 / 841))
    return replaced(_mm256_mul_ps(_mm256_mul_ps(value, value), value), line, value, 6.0 / 29)
  }

  @inline(__always)
  private func cubeRoot(_ value: __m256) -> __m256 {
    var third = _mm256_srli_epi32(_mm256_castps_si256(value), 2)
    third = _mm256_add_epi32(third, _mm256_srli_epi32(third, 2))
    third = _mm256_add_epi32(third, _mm256_srli_epi32(third, 4))
    third = _mm256_add_epi32(third, _mm256_srli_epi32(third, 8))
    let root = _mm256_castsi256_ps(_mm256_add_epi32(third, number8(709_958_130)))
    return nearer(nearer(root, value), value)
  }

  /// Returns a closer approximation of the cube root of `value`: one step of Halley's method.
  @inline(__always)
  private func nearer(_ root: __m256, _ value: __m256) -> __m256 {
    let cube = _mm256_mul_ps(_mm256_mul_ps(root, root), root)
    let above = _mm256_add_ps(_mm256_add_ps(cube, value), value)
    let below = _mm256_add_ps(_mm256_add_ps(cube, cube), value)
    return _mm256_mul_ps(root, _mm256_div_ps(above, below))
  }
#endif
