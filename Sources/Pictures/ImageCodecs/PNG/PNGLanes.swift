/// A pixel of up to 8 bytes, as stored, and widened to 16 bits for sums.
typealias PNGPixel8 = SIMD8<UInt8>
typealias PNGPixel16 = SIMD8<Int16>

/// Operations on pixels in SIMD vectors, for PNG's filters.
enum PNGLanes {
  /// Returns in each lane whichever of left, up and corner is nearest to left + up - corner (PNG, 9.4).
  ///
  /// The formula minimises the operations that depend on the left pixel. With t = 3 * corner - left - up, the nearest
  /// is the greater of left and up if t is at most the lesser, the lesser if t is at least the greater, else corner,
  /// including ties (F. Giesen, in stb_image 2.29). If both conditions hold, all three are equal, and the two
  /// corrections cancel.
  @inline(__always)
  static func paeth(_ left: PNGPixel16, _ up: PNGPixel16, _ corner: PNGPixel16) -> PNGPixel16 {
    let t = (corner &* 3 &- up) &- left
    let lesser = pointwiseMin(left, up)
    let greater = pointwiseMax(left, up)
    let towardsGreater = (greater ^ corner).replacing(with: 0, where: t .> lesser)
    let towardsLesser = (lesser ^ corner).replacing(with: 0, where: greater .> t)
    return corner ^ towardsGreater ^ towardsLesser
  }

  /// Returns the Paeth predictor of each lane, computed without widening the bytes.
  ///
  /// The function compares the distances of the three values from the estimate left + up - corner. The distance of left
  /// is |up - corner|, and that of up is |left - corner|, so both are at most 255. The distance of corner may saturate
  /// at 255: if it is larger, it is not the smallest.
  @inline(__always)
  static func paeth(_ left: SIMD16<UInt8>, _ up: SIMD16<UInt8>, _ corner: SIMD16<UInt8>) -> SIMD16<UInt8> {
    let upAbove = excess(up, corner)
    let upBelow = excess(corner, up)
    let leftAbove = excess(left, corner)
    let leftBelow = excess(corner, left)
    let fromLeft = upAbove | upBelow
    let fromUp = leftAbove | leftBelow
    let above = sum(upAbove, leftAbove)
    let below = sum(upBelow, leftBelow)
    let fromCorner = excess(above, below) | excess(below, above)
    let least = lesser(lesser(fromLeft, fromUp), fromCorner)
    return corner.replacing(with: up, where: fromUp .== least).replacing(with: left, where: fromLeft .== least)
  }

  /// Returns the larger of a - b and 0.
  @inline(__always)
  private static func excess(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> { greater(a, b) &- b }

  /// Returns the smaller of a + b and 255.
  @inline(__always)
  private static func sum(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> { lesser(a, ~b) &+ b }

  // For vectors of this length, the compiler does not turn the standard library's functions into single instructions.
  @inline(__always)
  private static func greater(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
    a.replacing(with: b, where: b .> a)
  }

  @inline(__always)
  private static func lesser(_ a: SIMD16<UInt8>, _ b: SIMD16<UInt8>) -> SIMD16<UInt8> {
    a.replacing(with: b, where: b .< a)
  }

  @inline(__always)
  static func word(_ bytes: UnsafePointer<UInt8>) -> UInt32 {
    UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self)
  }

  /// Loads `count` bytes, at most 4, and accesses no others. The other bytes of the result are 0.
  static func word(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> UInt32 {
    unsafeBitCast(loadExactly(bytes, count), to: UInt32.self)
  }

  @inline(__always)
  static func widen(_ pixel: PNGPixel8) -> PNGPixel16 { PNGPixel16(truncatingIfNeeded: pixel) }

  @inline(__always)
  static func narrow(_ pixel: PNGPixel16) -> PNGPixel8 { PNGPixel8(truncatingIfNeeded: pixel) }

  /// Loads a pixel of `step` bytes; for 3 and 6, also bytes after it.
  @inline(__always)
  static func load(_ bytes: UnsafePointer<UInt8>, _ step: Int) -> PNGPixel8 {
    let address = UnsafeRawPointer(bytes)
    switch step {
    case 1, 2: return PNGPixel8(lowHalf: loadExactly(bytes, step), highHalf: SIMD4())
    case 3, 4: return PNGPixel8(lowHalf: loadFour(bytes), highHalf: SIMD4())
    default: return address.loadUnaligned(as: PNGPixel8.self)
    }
  }

  /// Stores a pixel of `step` bytes; for 3 and 6, this overwrites bytes of the next pixel, unless it is the last pixel.
  @inline(__always)
  static func store(_ pixel: PNGPixel8, _ bytes: UnsafeMutablePointer<UInt8>, _ step: Int, _ isLast: Bool) {
    let address = UnsafeMutableRawPointer(bytes)
    switch step {
    case 1, 2: storeExactly(pixel.lowHalf, bytes, step)
    case 3 where isLast: storeExactly(pixel.lowHalf, bytes, 3)
    case 3, 4: storeFour(pixel.lowHalf, bytes)
    case 6 where isLast:
      storeFour(pixel.lowHalf, bytes)
      storeExactly(pixel.highHalf, bytes + 4, 2)
    default: address.storeBytes(of: pixel, as: PNGPixel8.self)
    }
  }

  @inline(__always)
  static func loadFour(_ bytes: UnsafePointer<UInt8>) -> SIMD4<UInt8> {
    UnsafeRawPointer(bytes).loadUnaligned(as: SIMD4<UInt8>.self)
  }

  @inline(__always)
  static func storeFour(_ pixel: SIMD4<UInt8>, _ bytes: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(bytes).storeBytes(of: pixel, as: SIMD4<UInt8>.self)
  }

  /// Loads 1 to 4 bytes, and accesses no others.
  @inline(__always)
  static func loadExactly(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> SIMD4<UInt8> {
    var pixel = SIMD4<UInt8>()
    for index in 0..<count { pixel[index] = bytes[index] }
    return pixel
  }

  /// Stores 1 to 4 bytes, and accesses no others.
  @inline(__always)
  static func storeExactly(_ pixel: SIMD4<UInt8>, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) {
    for index in 0..<count { bytes[index] = pixel[index] }
  }
}
