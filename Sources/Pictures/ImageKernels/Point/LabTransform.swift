import CKernels

/// An affine change of colours in CIE L\*a\*b\* (CIE 15:2004, section 8.2.1; white point D65): the lightness is scaled
/// and shifted, and the chroma plane is scaled and rotated.
///
/// CIE LCh is the same space in polar form: scaling C and adding to h means scaling and rotating (a, b).
package struct LabTransform: Sendable {
  private let scale: Float
  private let shift: Float
  /// The chroma plane's matrix `(cosine, -sine; sine, cosine)`.
  private let cosine: Float
  private let sine: Float

  /// - Parameters:
  ///   - scale: the factor for L\*, which ranges from 0 to 100.
  ///   - shift: the number that is then added to L\*.
  ///   - cosine: the cosine of the hue's rotation, times the factor for the chroma.
  ///   - sine: the sine of the hue's rotation, times the same factor.
  package init(scale: Double, shift: Double, cosine: Double = 1, sine: Double = 0) {
    self.scale = Float(scale)
    self.shift = Float(shift)
    self.cosine = Float(cosine)
    self.sine = Float(sine)
  }

  /// Returns a request for the SIMD kernels, whose results are bit-identical to those of `apply`.
  func pass(_ row: UnsafeMutableRawPointer, count: Int, bands: Int, sampleBytes: Int) -> LabPass {
    LabPass(
      row: row, count: count, bands: bands, sampleBytes: sampleBytes,
      decode: SRGBTransfer.decodeTable(sampleBytes: sampleBytes), encode: SRGBTransfer.encodeTable,
      encodeSteps: SRGBTransfer.encodeSteps, scale: scale, shift: shift, cosine: cosine, sine: sine)
  }

  /// Changes a block of linear light in place; results may lie outside 0 to 1.
  ///
  /// The matrix from linear sRGB to XYZ is that of IEC 61966-2-1, with each row divided by its sum. This makes X, Y and
  /// Z relative to the white point: they are equal for neutral colours, which therefore stay neutral. The inverse
  /// matrix was computed in double precision.
  @inline(__always)
  func apply(_ block: LightBlock) {
    Self.change(block) { lightness, a, b in
      (lightness * scale + shift, a * cosine - b * sine, a * sine + b * cosine)
    }
  }

  /// Maps the lightness L\* of a block of linear light in place; a\* and b\* are unchanged.
  @inline(__always)
  static func mapLightness(_ block: LightBlock, _ map: (SIMD8<Float>) -> SIMD8<Float>) {
    change(block) { lightness, a, b in (map(lightness), a, b) }
  }

  @inline(__always)
  private static func change(
    _ block: LightBlock,
    _ body: (SIMD8<Float>, SIMD8<Float>, SIMD8<Float>) -> (SIMD8<Float>, SIMD8<Float>, SIMD8<Float>)
  ) {
    let (red, green, blue) = (block[0], block[1], block[2])
    let fx = compress(red * (0.4124 / 0.9505) + green * (0.3576 / 0.9505) + blue * (0.1805 / 0.9505))
    let fy = compress(luminance(block))
    let fz = compress(red * (0.0193 / 1.089) + green * (0.1192 / 1.089) + blue * (0.9505 / 1.089))
    let (lightness, a, b) = body(fy * 116 - 16, (fx - fy) * 500, (fy - fz) * 200)
    let f = (lightness + 16) * (1.0 / 116)
    let x = expand(f + a * (1.0 / 500))
    let y = expand(f)
    let z = expand(f - b * (1.0 / 200))
    block[0] = x * 3.0802145162 + y * -1.5372079722 + z * -0.5430065440
    block[1] = x * -0.9209686444 + y * 1.8757560609 + z * 0.0452125835
    block[2] = x * 0.0529524695 + y * -0.2040210506 + z * 1.1510685811
  }

  /// Returns L\* of a block of linear light.
  @inline(__always)
  static func lightness(_ block: LightBlock) -> SIMD8<Float> { compress(luminance(block)) * 116 - 16 }

  @inline(__always)
  private static func luminance(_ block: LightBlock) -> SIMD8<Float> {
    block[0] * 0.2126 + block[1] * 0.7152 + block[2] * 0.0722
  }

  /// Returns the standard's f(t): the cube root, or a straight line for values up to (6/29)³.
  @inline(__always)
  private static func compress(_ value: SIMD8<Float>) -> SIMD8<Float> {
    let line = value * (841.0 / 108) + 4.0 / 29
    return cubeRoot(value).replacing(with: line, where: value .<= 216.0 / 24_389)
  }

  /// Returns the inverse of `compress`.
  @inline(__always)
  private static func expand(_ value: SIMD8<Float>) -> SIMD8<Float> {
    let line = (value - 4.0 / 29) * (108.0 / 841)
    return (value * value * value).replacing(with: line, where: value .<= 6.0 / 29)
  }

  /// Returns cube roots of normal positive numbers, without a library function, whose results could differ by system.
  ///
  /// Dividing the bit pattern of a number by 3 and adding a constant gives its root with an error of at most 6 %. Each
  /// step of Halley's method cubes the error (W. Kahan, "Computing a Real Cube Root", 1991).
  @inline(__always)
  private static func cubeRoot(_ value: SIMD8<Float>) -> SIMD8<Float> {
    // This multiplies by (1/4) (1 + 1/4) (1 + 1/16) (1 + 1/256), which is close enough to 1/3.
    var third = unsafeBitCast(value, to: SIMD8<UInt32>.self) &>> 2
    third &+= third &>> 2
    third &+= third &>> 4
    third &+= third &>> 8
    var root = unsafeBitCast(third &+ 709_958_130, to: SIMD8<Float>.self)
    for _ in 0..<2 {
      let cube = root * root * root
      root = root * ((cube + value + value) / (cube + cube + value))
    }
    return root
  }
}
