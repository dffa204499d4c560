import JPEGTables

/// The frame and scan headers of a JPEG with one scan, as `BaselineDecoder` needs them.
package struct BaselineFrame: Sendable {
  package struct Component: Sendable, Equatable {
    /// The sampling factors: blocks of an MCU across and down (T.81, A.2.3).
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
  /// The restart interval: MCUs from one restart marker to the next; 0 for none.
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
