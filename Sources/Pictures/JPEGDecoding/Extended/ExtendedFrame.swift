/// A frame header of the extended sequential or the progressive process (T.81, B.2.2).
struct ExtendedFrame {
  struct Component {
    let identifier: UInt8
    /// The sampling factors: blocks of an MCU across and down.
    let horizontalSampling: Int
    let verticalSampling: Int
    /// The index of the quantisation table, 0 to 3.
    let table: Int
    /// Samples inside the picture, across and down.
    let width: Int
    let height: Int
    /// Blocks across and down, including those that fill the last MCUs.
    let blocksAcross: Int
    let blocksDown: Int
    /// Pixels that a sample covers, across and down.
    let pixelsAcross: Int
    let pixelsDown: Int
    /// Blocks in a scan of this component alone, across and down.
    var ownBlocksAcross: Int { (width + 7) / 8 }
    var ownBlocksDown: Int { (height + 7) / 8 }
  }

  let isProgressive: Bool
  let width: Int
  let height: Int
  let components: [Component]
  let mcusAcross: Int
  let mcusDown: Int
  /// The rows of pixels in an MCU.
  let rowsPerMCU: Int

  /// - Parameter body: the frame header after its length.
  init(_ body: [UInt8], isProgressive: Bool) throws(ExtendedFault) {
    guard body.count >= 6, body[0] == 12, [1, 3, 4].contains(body[5]), body.count == 6 + 3 * Int(body[5])
    else { throw .damaged("Bogus marker length") }
    let (width, height) = (Int(body[3]) << 8 | Int(body[4]), Int(body[1]) << 8 | Int(body[2]))
    guard width > 0, height > 0 else { throw .damaged("Empty JPEG image") }
    let parts = stride(from: 6, to: body.count, by: 3).map { Array(body[$0..<$0 + 3]) }
    // A picture of one component has one block in an MCU, whatever the sampling factors are: T.81, A.2.2.
    let factors = parts.map { parts.count == 1 ? (1, 1) : (Int($0[1] >> 4), Int($0[1] & 15)) }
    guard factors.allSatisfy({ (1...4).contains($0.0) && (1...4).contains($0.1) }) else {
      throw .damaged("Bogus sampling factors")
    }
    let across = factors.map(\.0).max()!
    let down = factors.map(\.1).max()!
    guard factors.allSatisfy({ across % $0.0 == 0 && down % $0.1 == 0 }) else {
      throw .unsupported("a JPEG with colours stored like this")
    }
    let mcusAcross = (width + 8 * across - 1) / (8 * across)
    let mcusDown = (height + 8 * down - 1) / (8 * down)
    components = zip(parts, factors).map { part, factor in
      Component(
        identifier: part[0], horizontalSampling: factor.0, verticalSampling: factor.1,
        table: Int(part[2]),
        width: (width * factor.0 + across - 1) / across,
        height: (height * factor.1 + down - 1) / down, blocksAcross: mcusAcross * factor.0,
        blocksDown: mcusDown * factor.1, pixelsAcross: across / factor.0,
        pixelsDown: down / factor.1)
    }
    self.isProgressive = isProgressive
    self.width = width
    self.height = height
    self.mcusAcross = mcusAcross
    self.mcusDown = mcusDown
    rowsPerMCU = 8 * down
  }
}
