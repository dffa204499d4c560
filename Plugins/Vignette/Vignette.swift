import CPluginABI
import OperationExport

/// A vignette for one set of values: the remaining share of each pixel, and the colour that replaces the rest.
///
/// Only additions, multiplications, divisions and square roots are used, which IEEE 754 rounds identically everywhere,
/// so that the bytes are the same on every machine.
struct Vignette: ExportedOperation {
  private let strength: Float
  private let radius: Float
  private let softness: Float
  private let roundness: Float
  private let colour: SIMD4<Float>
  private let centre: SIMD2<Float>

  /// - Parameter values: one value for each parameter, in their order, checked by the host.
  init(_ values: UnsafePointer<imghost_value>) {
    strength = Float(values[0].numbers.0)
    radius = Float(values[1].numbers.0)
    softness = Float(values[2].numbers.0)
    roundness = Float(values[3].numbers.0)
    let colour = values[4].numbers
    self.colour = SIMD4(Float(colour.0), Float(colour.1), Float(colour.2), Float(colour.3))
    centre = SIMD2(Float(values[5].numbers.0), Float(values[5].numbers.1))
  }

  /// Processes the request's region. Returns false if the call was cancelled, or if the input is missing.
  func process(_ request: imghost_request, isCancelled: () -> Bool, progress: (Double) -> Void) -> Bool {
    guard let input = request.inputs[0]?.pointee else { return false }
    let output = request.output.pointee
    let geometry = Geometry(self, width: input.width, height: input.height, request.region)
    for row in 0..<request.region.height {
      if row & 31 == 0 {
        if isCancelled() { return false }
        progress(Double(row) / Double(request.region.height))
      }
      let y = request.region.top + row
      let from = input.address(x: request.region.left, y: y)
      let to = UnsafeMutableRawPointer(mutating: output.address(x: request.region.left, y: y))
      let kept = geometry.kept(y)
      switch input.sample {
      case IMGHOST_SAMPLE_U8: blend(from, to, kept, input, UInt8.self)
      case IMGHOST_SAMPLE_U16: blend(from, to, kept, input, UInt16.self)
      default: blend(from, to, kept, input, Float.self)
      }
    }
    return true
  }

  /// Processes one row: `sample * kept + colour * (1 - kept)`, with alpha unchanged.
  @inline(__always)
  private func blend<S: Sample>(
    _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ kept: [Float], _ picture: imghost_picture, _ type: S.Type
  ) {
    let bands = Int(picture.bands)
    let source = from.assumingMemoryBound(to: S.self)
    let target = to.assumingMemoryBound(to: S.self)
    let colour = components(bands) * S.top
    kept.withUnsafeBufferPointer { kept in
      for x in 0..<kept.count {
        let (i, share) = (x * bands, kept[x])
        let rest = 1 - share
        target[i] = S(nearest: source[i].float * share + colour.x * rest)
        if bands >= 3 {
          target[i + 1] = S(nearest: source[i + 1].float * share + colour.y * rest)
          target[i + 2] = S(nearest: source[i + 2].float * share + colour.z * rest)
        }
        if bands & 1 == 0 { target[i + bands - 1] = source[i + bands - 1] }
      }
    }
  }

  /// Returns the colour's components; for gray pictures, its luma by ITU-R BT.709.
  private func components(_ bands: Int) -> SIMD4<Float> {
    guard bands < 3 else { return colour }
    let luma = 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]
    return SIMD4(repeating: luma)
  }
}

extension Vignette {
  /// Distances from the centre, scaled so that 1 is a corner of the picture if the centre is its middle.
  struct Geometry {
    private let vignette: Vignette
    private let across: [Float]
    private let scale: Float
    private let height: Float

    /// Interpolates by roundness between an ellipse of the picture's shape (each axis is scaled by its own side) and a
    /// circle (both axes are scaled by the diagonal).
    init(_ vignette: Vignette, width: Int32, height: Int32, _ region: imghost_region) {
      let (w, h) = (Float(width), Float(height))
      let diagonal = (w * w + h * h).squareRoot()
      let shape = 2 / Float(2).squareRoot()
      let (ellipse, circle) = (SIMD2(shape / w, shape / h), SIMD2(repeating: 2 / diagonal))
      let scale = ellipse + (circle - ellipse) * vignette.roundness
      self.vignette = vignette
      self.height = h
      self.scale = scale.y
      across = (region.left..<region.left + region.width).map { x in
        let distance = (Float(x) + 0.5 - vignette.centre.x * w) * scale.x
        return distance * distance
      }
    }

    /// Returns the remaining share of each pixel of row `y`: 1 within the radius, 1 minus the product of strength and
    /// the colour's alpha beyond the soft edge, and a smooth step (3t^2 - 2t^3) in between.
    func kept(_ y: Int32) -> [Float] {
      let distance = (Float(y) + 0.5 - vignette.centre.y * height) * scale
      let down = distance * distance
      let strength = vignette.strength * vignette.colour.w
      return across.map { across in
        let t = ((across + down).squareRoot() - vignette.radius) / vignette.softness
        let step = max(0, min(1, t))
        return 1 - strength * step * step * (3 - 2 * step)
      }
    }
  }
}

/// A sample as a number. Each type has conversions of its own, which compile to single instructions.
private protocol Sample {
  /// Full intensity.
  static var top: Float { get }
  var float: Float { get }
  /// Converts a value between 0 and `top`.
  init(nearest value: Float)
}

extension UInt8: Sample {
  static var top: Float { 255 }
  var float: Float { Float(self) }
  init(nearest value: Float) { self = UInt8(truncatingIfNeeded: Int32(value + 0.5)) }
}

extension UInt16: Sample {
  static var top: Float { 65_535 }
  var float: Float { Float(self) }
  init(nearest value: Float) { self = UInt16(truncatingIfNeeded: Int32(value + 0.5)) }
}

extension Float: Sample {
  static var top: Float { 1 }
  var float: Float { self }
  init(nearest value: Float) { self = value }
}
