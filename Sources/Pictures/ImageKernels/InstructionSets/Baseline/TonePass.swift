#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  func mapTones(_ pass: UnsafePointer<TonePass>) {
    let pass = pass.pointee
    switch (pass.colours, pass.sampleBytes) {
    case (1, 1): mapGray(pass, bytes: 1)
    case (1, _): mapGray(pass, bytes: 2)
    case (_, 1): mapColours(pass, bytes: 1)
    default: mapColours(pass, bytes: 2)
    }
  }

  /// Maps the pixels. This function is inlined with constant arguments, so that branches are resolved at compile time.
  @inline(__always)
  private func mapColours(_ pass: TonePass, bytes: Int) {
    let (light, encoded, columns) = (pass.light, pass.encoded, fourColumns(pass.columns))
    let top: Float = bytes == 1 ? 255 : 65_535
    let (steps, most) = (_mm_set1_ps(4096 / top), _mm_set1_ps(top))
    let (zero, one, darkest) = (_mm_setzero_ps(), _mm_set1_ps(1), _mm_set1_ps(0x1p-24))
    let (lowest, lowBits) = (_mm_set1_epi32(0x3380_0000), _mm_set1_epi32(0x3fff))
    let part = _mm_set1_ps(0x1p-14)
    let step = bytes &* pass.bands
    var pixel = pass.row
    var left = pass.count
    while left > 0 {
      let position = _mm_mul_ps(_mm_cvtepi32_ps(bytes == 1 ? threeLanes8(pixel) : lanes(threeSamples16(pixel))), steps)
      let whole = _mm_cvttps_epi32(position)
      let lights = interpolated(light, whole, _mm_sub_ps(position, _mm_cvtepi32_ps(whole)))
      var colour = _mm_max_ps(mixed(lights, columns), zero)
      if let scene = pass.scene {
        let luminance = _mm_cvtss_f32(_mm_movehl_ps(colour, _mm_unpackhi_ps(colour, colour)))
        colour = _mm_mul_ps(colour, _mm_set1_ps(curve(luminance, scene)))
      }
      let pairs = _mm_unpacklo_ps(colour, colour)
      let outer = _mm_max_ps(colour, _mm_movehl_ps(colour, colour))
      let largest = _mm_cvtss_f32(_mm_max_ps(outer, _mm_movehl_ps(pairs, pairs)))
      colour = _mm_mul_ps(colour, _mm_set1_ps(curve(largest * (1 / 16), pass.gain)))
      let bits = _mm_sub_epi32(_mm_castps_si128(_mm_max_ps(_mm_min_ps(colour, one), darkest)), lowest)
      let rest = _mm_mul_ps(_mm_cvtepi32_ps(_mm_and_si128(bits, lowBits)), part)
      let value = interpolated(encoded, _mm_srli_epi32(bits, 14), rest)
      let levels = _mm_cvtps_epi32(_mm_max_ps(_mm_min_ps(_mm_mul_ps(value, most), most), zero))
      // The table starts slightly above 0; less light becomes 0.
      let shown = _mm_andnot_si128(_mm_castps_si128(_mm_cmplt_ps(colour, darkest)), levels)
      if bytes == 1 { storeThree8(shown, pixel) } else { storeThree16(shown, pixel) }
      pixel += step
      left &-= 1
    }
  }

  /// Returns the value for a light from 0 to 1: the high bits of its representation select an entry, and the low bits
  /// interpolate between that entry and the next.
  @inline(__always)
  private func curve(_ light: Float, _ samples: UnsafePointer<Float>) -> Float {
    let cut = light < 1 ? light : 1
    let inRange = cut > 0x1p-24 ? cut : 0x1p-24
    let bits = inRange.bitPattern &- 0x3380_0000
    let entry = samples + Int(bits &>> 14)
    let rest = Float(Int32(bitPattern: bits & 0x3fff)) * 0x1p-14
    return entry[0] + (entry[1] - entry[0]) * rest
  }

  @inline(__always)
  private func threeLanes8(_ pixel: UnsafeRawPointer) -> Vector128 {
    let samples =
      UInt32(pixel.loadUnaligned(as: UInt16.self)) | UInt32(pixel.load(fromByteOffset: 2, as: UInt8.self)) &<< 16
    let zero = _mm_setzero_si128()
    return _mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(Int32(bitPattern: samples)), zero), zero)
  }

  @inline(__always)
  private func storeThree8(_ numbers: Vector128, _ pixel: UnsafeMutableRawPointer) {
    let words = _mm_packs_epi32(numbers, numbers)
    let samples = _mm_cvtsi128_si32(_mm_packus_epi16(words, words))
    pixel.storeBytes(of: UInt16(truncatingIfNeeded: samples), as: UInt16.self)
    pixel.storeBytes(of: UInt8(truncatingIfNeeded: samples &>> 16), toByteOffset: 2, as: UInt8.self)
  }

  @inline(__always)
  private func mapGray(_ pass: TonePass, bytes: Int) {
    let top: Float = bytes == 1 ? 255 : 65_535
    let scale = 4096 / top
    var pixel = pass.row
    var left = pass.count
    while left > 0 {
      let sample = bytes == 1 ? Int32(pixel.load(as: UInt8.self)) : Int32(pixel.load(as: UInt16.self))
      let position = Float(sample) * scale
      let whole = _mm_cvttss_si32(_mm_set_ss(position))
      let entry = pass.light + Int(whole)
      var gray = entry[0] + (entry[1] - entry[0]) * (position - Float(whole))
      if let scene = pass.scene { gray *= curve(gray, scene) }
      gray *= curve(gray * (1 / 16), pass.gain)
      // Adding 2²³ rounds the number to an integer in the low bits.
      let level = gray < 0x1p-24 ? 0 : (curve(gray, pass.encoded) * top + 8_388_608).bitPattern
      if bytes == 1 {
        pixel.storeBytes(of: UInt8(truncatingIfNeeded: level), as: UInt8.self)
      } else {
        pixel.storeBytes(of: UInt16(truncatingIfNeeded: level), as: UInt16.self)
      }
      pixel += bytes &* pass.bands
      left &-= 1
    }
  }
#endif
