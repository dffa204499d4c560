/// The dimensions of a frame decoded at 1/1, 1/2, 1/4 or 1/8, as libjpeg's `jdmaster.c` chooses them.
struct FrameGeometry {
  /// The method that upsamples a component's samples to one sample per pixel.
  enum Upsampling {
    case none
    /// Each sample is repeated horizontally.
    case repeatedAcross
    /// Each row of samples is repeated.
    case repeatedDown
    /// A horizontal triangle filter.
    case across
    /// A vertical triangle filter.
    case down
    /// A horizontal and vertical triangle filter.
    case acrossAndDown
  }

  struct Component {
    /// The sampling factors: blocks of an MCU across and down (T.81, A.2.3).
    let horizontalSampling: Int
    let verticalSampling: Int
    /// The number of samples of a block across and down after the inverse DCT: 1, 2, 4 or 8.
    let blockSize: Int
    let upsampling: Upsampling
    /// The number of the component's samples inside the picture, across and down.
    let width: Int
    let height: Int

    var blocksPerMCU: Int { horizontalSampling * verticalSampling }
  }

  /// The width and height of the result in pixels.
  let width: Int
  let height: Int
  let components: [Component]
  let mcusAcross: Int
  let mcusDown: Int
  /// The number of rows of pixels in an MCU.
  let rowsPerMCU: Int

  /// The number of blocks of all components in an MCU.
  var blocksPerMCU: Int { components.reduce(0) { $0 + $1.blocksPerMCU } }

  /// Whether the last pixel row of an MCU needs the samples of the MCU below.
  var needsRowBelow: Bool { [.down, .acrossAndDown].contains(components.last?.upsampling) }

  /// Computes the dimensions; nil for files that libjpeg must decode: rare sampling factors, pictures that are too
  /// narrow for its interpolation, and quantisation steps of 0, which would hide overflowing coefficients.
  init?(_ frame: BaselineFrame, shrink: Int) {
    let parts = frame.components
    guard parts.allSatisfy({ !$0.quantisation.contains(0) }) else { return nil }
    let size = 8 / shrink
    func scaled(_ length: Int, _ numerator: Int, _ denominator: Int) -> Int {
      (length * numerator + denominator - 1) / denominator
    }
    width = scaled(frame.width, size, 8)
    height = scaled(frame.height, size, 8)
    let across: Int
    let down: Int
    if parts.count == 1 {
      // A scan with one component has one block in an MCU, whatever the sampling factors are: T.81, A.2.2.
      across = 1
      down = 1
    } else {
      guard parts.count == 3, parts[1...].allSatisfy({ $0.horizontalSampling == 1 && $0.verticalSampling == 1 })
      else { return nil }
      across = parts[0].horizontalSampling
      down = parts[0].verticalSampling
      guard [1, 2].contains(across), [1, 2].contains(down) else { return nil }
    }
    mcusAcross = scaled(frame.width, 1, 8 * across)
    mcusDown = scaled(frame.height, 1, 8 * down)
    rowsPerMCU = down * size
    var components = [
      Component(
        horizontalSampling: across, verticalSampling: down, blockSize: size,
        upsampling: .none, width: width, height: height)
    ]
    if parts.count == 3 {
      // Halved chrominance is transformed to twice the size instead of being upsampled.
      let doubles = across == 2 && down == 2 && size < 8
      let chromaSize = doubles ? size * 2 : size
      let upsampling: Upsampling =
        switch (across, down) {
        case (2, 2): doubles ? .none : .acrossAndDown
        case (2, 1): size > 1 ? .across : .repeatedAcross
        case (1, 2): size > 1 ? .down : .repeatedDown
        default: .none
        }
      let chroma = Component(
        horizontalSampling: 1, verticalSampling: 1, blockSize: chromaSize, upsampling: upsampling,
        width: scaled(frame.width, chromaSize, 8 * across), height: scaled(frame.height, chromaSize, 8 * down))
      if upsampling == .across || upsampling == .acrossAndDown, chroma.width <= 2 { return nil }
      components += [chroma, chroma]
    }
    self.components = components
  }
}
