import JPEGTables

/// The frame and scan headers of a JPEG with one scan, as `BaselineDecoder` needs them.
public struct BaselineFrame: Sendable {
  public struct Component: Sendable, Equatable {
    /// The sampling factors: blocks of an MCU across and down (T.81, A.2.3).
    public let horizontalSampling: Int
    public let verticalSampling: Int
    /// The quantisation table: 64 elements, in rows.
    public let quantisation: [UInt16]
    public let dc: HuffmanCode
    public let ac: HuffmanCode

    /// - Precondition: the quantisation table has 64 elements.
    public init(
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

  /// Pixels across and down, at least 1.
  public let width: Int
  public let height: Int
  /// One for gray; luminance, Cb and Cr for colours.
  public let components: [Component]
  /// The restart interval: MCUs from one restart marker to the next; 0 for none.
  public let restartInterval: Int
  /// The offset in the file of the scan's entropy-coded bytes.
  public let dataOffset: Int

  public init(width: Int, height: Int, components: [Component], restartInterval: Int, dataOffset: Int) {
    self.width = width
    self.height = height
    self.components = components
    self.restartInterval = restartInterval
    self.dataOffset = dataOffset
  }
}
