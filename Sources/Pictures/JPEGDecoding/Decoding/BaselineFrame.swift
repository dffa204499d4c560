import JPEGTables

/// What the headers of a JPEG say of its one scan: all that `BaselineDecoder` needs.
public struct BaselineFrame: Sendable {
  public struct Component: Sendable, Equatable {
    /// Blocks of an MCU, across and down (T.81, A.2.3).
    public let across: Int
    public let down: Int
    /// 64 steps of quantisation, in rows.
    public let steps: [UInt16]
    public let dc: HuffmanCode
    public let ac: HuffmanCode

    /// - Precondition: there are 64 steps.
    public init(
      across: Int, down: Int, steps: [UInt16], dc: HuffmanCode, ac: HuffmanCode
    ) {
      precondition(steps.count == 64, "a block has 64 steps")
      self.across = across
      self.down = down
      self.steps = steps
      self.dc = dc
      self.ac = ac
    }
  }

  /// In pixels, at least 1.
  public let width: Int
  public let height: Int
  /// One, which is gray, or luminance, Cb and Cr.
  public let components: [Component]
  /// MCUs from one restart marker to the next; 0 for none.
  public let restartInterval: Int
  /// Where the scan's entropy-coded bytes begin in the file.
  public let dataOffset: Int

  public init(
    width: Int, height: Int, components: [Component], restartInterval: Int, dataOffset: Int
  ) {
    self.width = width
    self.height = height
    self.components = components
    self.restartInterval = restartInterval
    self.dataOffset = dataOffset
  }
}
