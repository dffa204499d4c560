import JPEGTables

/// The dimensions of a frame that is decoded at 1/1, 1/2, 1/4 or 1/8, chosen as in libjpeg's `jdmaster.c`.
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
    /// The sampling factors: the numbers of blocks across and down in an MCU (T.81, A.2.3).
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

  /// Whether the last pixel row of an MCU row depends on samples of the MCU row below.
  var needsRowBelow: Bool { [.down, .acrossAndDown].contains(components.last?.upsampling) }

  /// Computes the dimensions; nil for files that libjpeg must decode: with numbers of components other than 1 and 3,
  /// with rare sampling factors, with pictures too narrow for libjpeg's interpolation, or with quantisation steps of 0,
  /// which would hide overflowing coefficients.
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
      // In a scan with one component, an MCU is one block, whatever the sampling factors (T.81, A.2.2).
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
      // Instead of upsampling halved chrominance, the inverse DCT makes its blocks twice as large.
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

/// The part of a frame that is decoded to samples. Other MCUs are only entropy-decoded, or not read at all if they are
/// in rows below the part.
struct FrameWindow {
  /// The columns and rows of the result in pixels.
  let columns: Range<Int>
  let rows: Range<Int>
  /// The MCUs whose samples are needed: those of the part, and neighbours whose chrominance the upsampling filter
  /// reads.
  let mcuColumns: Range<Int>
  let firstMCURow: Int
  /// The index after the last MCU row that is read.
  let endMCURow: Int
  /// The columns of chrominance samples to upsample, if chrominance has half the width.
  let halves: Range<Int>

  /// - Parameters:
  ///   - columns: columns of the result inside the picture, at least one.
  ///   - rows: rows of the result inside the picture, at least one.
  init(_ geometry: FrameGeometry, columns: Range<Int>, rows: Range<Int>) {
    precondition(
      !columns.isEmpty && columns.lowerBound >= 0 && columns.upperBound <= geometry.width && !rows.isEmpty
        && rows.lowerBound >= 0 && rows.upperBound <= geometry.height, "a part lies inside the picture")
    self.columns = columns
    self.rows = rows
    let across = geometry.components[0].horizontalSampling * geometry.components[0].blockSize
    // The upsampling filter reads the neighbouring sample, which is at most two pixels away.
    let reach = 2
    let left = max(columns.lowerBound - reach, 0)
    let right = min(columns.upperBound + reach, geometry.width)
    let end = (right + across - 1) / across
    mcuColumns = left / across..<min(end, geometry.mcusAcross)
    firstMCURow = max(rows.lowerBound - reach, 0) / geometry.rowsPerMCU
    let below = rows.upperBound + (geometry.needsRowBelow ? 1 : 0)
    endMCURow = min((below + geometry.rowsPerMCU - 1) / geometry.rowsPerMCU, geometry.mcusDown)
    // One more sample is upsampled on each side, because `doubleRows` repeats the first and the last sum instead of
    // using their neighbours, which makes their results wrong.
    let chroma = geometry.components.last!.width
    let lastHalf = min((columns.upperBound + 1) / 2 + 1, chroma)
    halves = max(columns.lowerBound / 2 - 1, 0)..<lastHalf
  }

  /// Creates the window of the whole frame.
  init(_ geometry: FrameGeometry) {
    self.init(geometry, columns: 0..<geometry.width, rows: 0..<geometry.height)
  }
}

/// The frame and scan headers of a JPEG with one scan, as `BaselineDecoder` needs them.
package struct BaselineFrame: Sendable {
  package struct Component: Sendable, Equatable {
    /// The sampling factors: the numbers of blocks across and down in an MCU (T.81, A.2.3).
    package let horizontalSampling: Int
    package let verticalSampling: Int
    /// The quantisation table: 64 elements in row-major order.
    package let quantisation: [UInt16]
    package let dc: HuffmanCode
    package let ac: HuffmanCode

    /// - Precondition: the quantisation table has 64 elements.
    package init(
      horizontalSampling: Int, verticalSampling: Int, quantisation: [UInt16], dc: HuffmanCode, ac: HuffmanCode
    ) {
      precondition(quantisation.count == 64, "a quantisation table has 64 elements")
      self.horizontalSampling = horizontalSampling
      self.verticalSampling = verticalSampling
      self.quantisation = quantisation
      self.dc = dc
      self.ac = ac
    }
  }

  /// The width and height in pixels, at least 1.
  package let width: Int
  package let height: Int
  /// The components: one for gray; luminance, Cb and Cr for colours.
  package let components: [Component]
  /// The restart interval: the number of MCUs between restart markers; 0 if there are none.
  package let restartInterval: Int
  /// The offset of the scan's entropy-coded bytes in the file.
  package let dataOffset: Int

  package init(width: Int, height: Int, components: [Component], restartInterval: Int, dataOffset: Int) {
    self.width = width
    self.height = height
    self.components = components
    self.restartInterval = restartInterval
    self.dataOffset = dataOffset
  }
}
