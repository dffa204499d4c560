import CPluginABI
import OperationExport

/// Film grain for one set of values: noise with a given grain size, strongest in the middle tones.
///
/// The noise at a point depends only on the point and the seed, so that strips, threads and machines all produce the
/// same bytes. Only integer arithmetic and additions, multiplications, divisions and square roots are used, which IEEE
/// 754 rounds identically everywhere.
struct FilmGrain: ExportedOperation {
  private let amount: Float
  private let size: Float
  private let colour: Float
  private let seed: UInt32

  /// - Parameter values: one value for each parameter, in their order, checked by the host.
  init(_ values: UnsafePointer<imghost_value>) {
    amount = Float(values[0].numbers.0)
    size = Float(values[1].numbers.0)
    colour = Float(values[2].numbers.0)
    seed = UInt32(truncatingIfNeeded: Int(values[3].numbers.0))
  }

  /// Processes the request's region. Returns false if the call was cancelled, or if the input is missing.
  func process(_ request: imghost_request, isCancelled: () -> Bool, progress: (Double) -> Void) -> Bool {
    guard let input = request.inputs[0]?.pointee else { return false }
    let (output, region) = (request.output.pointee, request.region)
    for row in 0..<region.height {
      if row & 31 == 0 {
        if isCancelled() { return false }
        progress(Double(row) / Double(region.height))
      }
      let y = region.top + row
      let from = input.address(x: region.left, y: y)
      let to = UnsafeMutableRawPointer(mutating: output.address(x: region.left, y: y))
      switch input.sample {
      case IMGHOST_SAMPLE_U8: grain(from, to, region, y, Int(input.bands), UInt8.self)
      case IMGHOST_SAMPLE_U16: grain(from, to, region, y, Int(input.bands), UInt16.self)
      default: grain(from, to, region, y, Int(input.bands), Float.self)
      }
    }
    return true
  }

  /// Adds grain to the colours of one row, and copies its alpha.
  @inline(__always)
  private func grain<S: Sample>(
    _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ region: imghost_region, _ y: Int32, _ bands: Int,
    _ type: S.Type
  ) {
    let source = from.assumingMemoryBound(to: S.self)
    let target = to.assumingMemoryBound(to: S.self)
    for column in 0..<Int(region.width) {
      let (i, x) = (column * bands, region.left + Int32(column))
      if bands >= 3 {
        let pixel = SIMD3(source[i].unit, source[i + 1].unit, source[i + 2].unit)
        let luma = 0.2126 * pixel.x + 0.7152 * pixel.y + 0.0722 * pixel.z
        let result = pixel + colouredNoise(x, y) * strength(luma)
        target[i] = S(unit: result.x)
        target[i + 1] = S(unit: result.y)
        target[i + 2] = S(unit: result.z)
      } else {
        let value = source[i].unit
        target[i] = S(unit: value + noise(x, y, layer: 0) * strength(value))
      }
      if bands & 1 == 0 { target[i + bands - 1] = source[i + bands - 1] }
    }
  }

  /// Returns the strength of grain at a luma l from 0 to 1, proportional to 4 l (1 - l): 0 in black and in white, where
  /// film has no half-developed crystals, and greatest in the middle.
  private func strength(_ luma: Float) -> Float {
    let l = max(0, min(1, luma))
    return amount * 0.25 * 4 * l * (1 - l)
  }

  /// Returns noise in three bands, which are identical if `colour` is 0 and independent if it is 1. The strength of
  /// the noise is the same for every `colour`, because the squares of the weights of `shared` and `own` add up to 1.
  private func colouredNoise(_ x: Int32, _ y: Int32) -> SIMD3<Float> {
    let shared = noise(x, y, layer: 0)
    guard colour > 0 else { return SIMD3(repeating: shared) }
    let own = SIMD3(noise(x, y, layer: 1), noise(x, y, layer: 2), noise(x, y, layer: 3))
    return SIMD3(repeating: shared * (1 - colour * colour).squareRoot()) + own * colour
  }

  /// Returns noise with mean 0 and standard deviation 1 at a pixel: interpolates between the four nearest points of a
  /// grid with one grain at each point, and divides by the standard deviation of the interpolated value.
  private func noise(_ x: Int32, _ y: Int32, layer: UInt32) -> Float {
    guard size > 1 else { return normal(x, y, layer) }
    let (u, v) = (Float(x) / size, Float(y) / size)
    let (left, top) = (Int32(u), Int32(v))
    let (a, b) = (u - Float(left), v - Float(top))
    let upper = normal(left, top, layer) * (1 - a) + normal(left + 1, top, layer) * a
    let lower = normal(left, top + 1, layer) * (1 - a) + normal(left + 1, top + 1, layer) * a
    let variance = (a * a + (1 - a) * (1 - a)) * (b * b + (1 - b) * (1 - b))
    return (upper * (1 - b) + lower * b) / variance.squareRoot()
  }

  /// Returns approximately normal noise with standard deviation 1: the sum of four uniform numbers (Irwin-Hall).
  private func normal(_ x: Int32, _ y: Int32, _ layer: UInt32) -> Float {
    let bits = hash(UInt32(bitPattern: x), UInt32(bitPattern: y), layer)
    let sum = (bits & 0xff) + (bits >> 8 & 0xff) + (bits >> 16 & 0xff) + (bits >> 24)
    // Four uniform bytes have the mean 510 and the variance 4 (256^2 - 1) / 12.
    return (Float(sum) - 510) / 147.8005
  }

  /// Hashes the point, the layer and the seed with MurmurHash3's finalizer (A. Appleby, public domain).
  private func hash(_ x: UInt32, _ y: UInt32, _ layer: UInt32) -> UInt32 {
    func mix(_ value: UInt32) -> UInt32 {
      var h = value
      h = (h ^ h >> 16) &* 0x85eb_ca6b
      h = (h ^ h >> 13) &* 0xc2b2_ae35
      return h ^ h >> 16
    }
    return mix(mix(mix(seed &* 4 &+ layer &+ 0x9e37_79b9) ^ x) ^ y &* 0x27d4_eb2f)
  }
}

/// A sample as a number from 0 to 1. Each type has conversions of its own, which compile to single instructions.
private protocol Sample {
  var unit: Float { get }
  /// Creates a sample, clamped to 0 to 1 and rounded to nearest.
  init(unit: Float)
}

private func clamped(_ value: Float) -> Float { value < 0 ? 0 : value > 1 ? 1 : value }

extension UInt8: Sample {
  var unit: Float { Float(self) / 255 }
  init(unit: Float) { self = UInt8(clamped(unit) * 255 + 0.5) }
}

extension UInt16: Sample {
  var unit: Float { Float(self) / 65_535 }
  init(unit: Float) { self = UInt16(clamped(unit) * 65_535 + 0.5) }
}

extension Float: Sample {
  var unit: Float { self }
  init(unit: Float) { self = clamped(unit) }
}
