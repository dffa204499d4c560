/// A change of colours in CIE L\*a\*b\* (CIE 15:2004, section 8.2.1; white point D65) that is affine: the
/// lightness is scaled and shifted, and the chroma plane scaled and turned.
///
/// CIE LCh is the same space in polar form: scaling C and adding to h is scaling and turning (a, b).
public struct LabTransform: Sendable {
  private let scale: Float
  private let shift: Float
  /// The chroma plane's matrix `(cosine, -sine; sine, cosine)`.
  private let cosine: Float
  private let sine: Float

  /// - Parameters:
  ///   - scale: L\*, from 0 to 100, is multiplied by it.
  ///   - shift: and then this is added.
  ///   - cosine: the cosine of the hue's turn times the factor on the chroma.
  ///   - sine: its sine times the same.
  public init(scale: Double, shift: Double, cosine: Double = 1, sine: Double = 0) {
    self.scale = Float(scale)
    self.shift = Float(shift)
    self.cosine = Float(cosine)
    self.sine = Float(sine)
  }

  // Linear sRGB to XYZ (IEC 61966-2-1), rows divided by their sum: relative to the white point, so that
  // neutral colours come out with three equal numbers and stay neutral.
  private static let red = SIMD4<Float>(0.4124 / 0.9505, 0.2126, 0.0193 / 1.089, 0)
  private static let green = SIMD4<Float>(0.3576 / 0.9505, 0.7152, 0.1192 / 1.089, 0)
  private static let blue = SIMD4<Float>(0.1805 / 0.9505, 0.0722, 0.9505 / 1.089, 0)
  // The inverse, computed from the numbers above in double precision.
  private static let fromX = SIMD4<Float>(3.0802145162, -0.9209686444, 0.0529524695, 0)
  private static let fromY = SIMD4<Float>(-1.5372079722, 1.8757560609, -0.2040210506, 0)
  private static let fromZ = SIMD4<Float>(-0.5430065440, 0.0452125835, 1.1510685811, 0)

  /// Linear light in, linear light out, which may lie outside 0 to 1.
  @inline(__always)
  func apply(_ red: Float, _ green: Float, _ blue: Float) -> SIMD4<Float> {
    let f = Self.compress(Self.red * red + Self.green * green + Self.blue * blue)
    let lightness = (116 * f.y - 16) * scale + shift
    let a = 500 * (f.x - f.y)
    let b = 200 * (f.y - f.z)
    let y = (lightness + 16) / 116
    let x = y + (a * cosine - b * sine) / 500
    let z = y - (a * sine + b * cosine) / 200
    let xyz = Self.expand(SIMD4(x, y, z, 0))
    return Self.fromX * xyz.x + Self.fromY * xyz.y + Self.fromZ * xyz.z
  }

  /// L\* of linear light.
  @inline(__always)
  static func lightness(_ red: Float, _ green: Float, _ blue: Float) -> Float {
    let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return 116 * compress(SIMD4(repeating: luminance)).x - 16
  }

  /// f(t) of the standard: the cube root, continued by a straight line below (6/29)³.
  @inline(__always)
  private static func compress(_ value: SIMD4<Float>) -> SIMD4<Float> {
    let line = value * (841.0 / 108) + 4.0 / 29
    return cubeRoot(value).replacing(with: line, where: value .<= 216.0 / 24_389)
  }

  /// The inverse of `compress`.
  @inline(__always)
  private static func expand(_ value: SIMD4<Float>) -> SIMD4<Float> {
    let line = (value - 4.0 / 29) * (108.0 / 841)
    return (value * value * value).replacing(with: line, where: value .<= 6.0 / 29)
  }

  /// Cube roots of normal positive numbers: a third of the bits is within 6 %, and each of Halley's steps
  /// cubes that (W. Kahan, "Computing a Real Cube Root", 1991). No library call: same bits everywhere.
  @inline(__always)
  private static func cubeRoot(_ value: SIMD4<Float>) -> SIMD4<Float> {
    // (1/4) (1 + 1/4) (1 + 1/16) (1 + 1/256) is a third as near as needed.
    var third = unsafeBitCast(value, to: SIMD4<UInt32>.self) &>> 2
    third &+= third &>> 2
    third &+= third &>> 4
    third &+= third &>> 8
    var root = unsafeBitCast(third &+ 709_958_130, to: SIMD4<Float>.self)
    for _ in 0..<2 {
      let cube = root * root * root
      root = root * ((cube + value + value) / (cube + cube + value))
    }
    return root
  }
}
