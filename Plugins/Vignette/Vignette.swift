import CPluginABI

/// A vignette for one set of values: how much of each pixel stays, and which colour it gives way to.
///
/// Only additions, multiplications, divisions and square roots, which IEEE 754 rounds the same
/// everywhere: the same bytes on every machine.
struct Vignette: Sendable {
  private let strength: Float
  private let radius: Float
  private let softness: Float
  private let roundness: Float
  private let colour: SIMD4<Float>
  private let centre: SIMD2<Float>

  /// - Parameter values: one a parameter, in the order of `parameters`, checked by the host.
  init(_ values: UnsafePointer<imghost_value>) {
    strength = Float(values[0].numbers.0)
    radius = Float(values[1].numbers.0)
    softness = Float(values[2].numbers.0)
    roundness = Float(values[3].numbers.0)
    let colour = values[4].numbers
    self.colour = SIMD4(Float(colour.0), Float(colour.1), Float(colour.2), Float(colour.3))
    centre = SIMD2(Float(values[5].numbers.0), Float(values[5].numbers.1))
  }

  /// Works on the request's region; false when the call was cancelled.
  func process(_ request: imghost_request, isCancelled: () -> Bool, progress: (Double) -> Void)
    -> Bool
  {
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
      switch Int32(input.sample) {
      case 1: blend(from, to, kept, input, UInt8.self, 255)
      case 2: blend(from, to, kept, input, UInt16.self, 65_535)
      default: blend(from, to, kept, input)
      }
    }
    return true
  }

  /// One row of whole-number samples: `sample * kept + colour * (1 - kept)`, alpha as it is.
  @inline(__always)
  private func blend<Sample: FixedWidthInteger & UnsignedInteger>(
    _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ kept: [Float],
    _ picture: imghost_picture, _ type: Sample.Type, _ top: Float
  ) {
    let (bands, colours) = (Int(picture.bands), Int(picture.bands - 1) | 1 == 1 ? 1 : 3)
    let source = from.assumingMemoryBound(to: Sample.self)
    let target = to.assumingMemoryBound(to: Sample.self)
    let colour = components(colours) * top
    for x in kept.indices {
      let share = kept[x]
      for band in 0..<colours {
        let value = Float(source[x * bands + band])
        target[x * bands + band] = Sample(value * share + colour[band] * (1 - share) + 0.5)
      }
      if bands != colours { target[x * bands + colours] = source[x * bands + colours] }
    }
  }

  /// One row of float samples.
  private func blend(
    _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ kept: [Float],
    _ picture: imghost_picture
  ) {
    let (bands, colours) = (Int(picture.bands), Int(picture.bands - 1) | 1 == 1 ? 1 : 3)
    let source = from.assumingMemoryBound(to: Float.self)
    let target = to.assumingMemoryBound(to: Float.self)
    let colour = components(colours)
    for x in kept.indices {
      let share = kept[x]
      for band in 0..<colours {
        let value = source[x * bands + band]
        target[x * bands + band] = value * share + colour[band] * (1 - share)
      }
      if bands != colours { target[x * bands + colours] = source[x * bands + colours] }
    }
  }

  /// The colour's components: luma by ITU-R BT.709 for gray pictures.
  private func components(_ count: Int) -> SIMD4<Float> {
    guard count == 1 else { return colour }
    let luma = 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]
    return SIMD4(repeating: luma)
  }
}

extension Vignette {
  /// Distances from the centre, such that 1 is a corner of the picture when the centre is its middle.
  struct Geometry {
    private let vignette: Vignette
    private let across: [Float]
    private let scale: Float
    private let height: Float

    /// Roundness leads from the picture's own shape (each side measured by itself) to a circle (both
    /// measured by half the diagonal).
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

    /// The share of each pixel of row `y` that stays: 1 within the radius, `1 - strength` beyond the
    /// soft edge, a smooth step (3t^2 - 2t^3) between.
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

extension imghost_picture {
  /// The address of a pixel that is in memory.
  func address(x: Int32, y: Int32) -> UnsafeRawPointer {
    let sampleByteCount = sample == 1 ? 1 : sample == 2 ? 2 : 4
    return pixels + Int(y - valid.top) * stride
      + Int(x - valid.left) * Int(bands) * sampleByteCount
  }
}
