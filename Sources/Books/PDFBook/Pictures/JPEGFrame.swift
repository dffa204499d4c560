/// A JPEG's frame header (ITU-T T.81, B.2.2).
struct JPEGFrame: Sendable {
  struct Component: Sendable {
    let id: UInt8
    /// The horizontal and vertical sampling factors, 1 to 4.
    let horizontal, vertical: Int
    let quantisation: Int
  }

  let marker: UInt8
  let bits: Int
  let width: Int
  let height: Int
  let componentCount: Int
  /// The components; empty for a coding process that a PDF cannot hold.
  private(set) var components: [Component] = []

  var isProgressive: Bool { marker == 0xc2 }
  /// Whether it is sequential or progressive DCT with Huffman coding, the only processes that PDF readers decode.
  var isHuffmanDCT: Bool { (0xc0...0xc2).contains(marker) && bits == 8 }

  /// - Parameter body: the segment without its length.
  init(_ marker: UInt8, _ body: [UInt8]) throws(JPEGFault) {
    guard body.count >= 6 else { throw .damaged("truncated frame header") }
    self.marker = marker
    bits = Int(body[0])
    height = Int(body[1]) << 8 | Int(body[2])
    width = Int(body[3]) << 8 | Int(body[4])
    componentCount = Int(body[5])
    guard width > 0, height > 0 else { throw .damaged("the frame header states no size") }
    guard isHuffmanDCT else { return }
    guard [1, 3, 4].contains(componentCount) else { throw .components(componentCount) }
    guard body.count == 6 + 3 * componentCount else { throw .damaged("wrong length of the frame header") }
    components = (0..<componentCount).map { index in
      let part = body[(6 + 3 * index)...].prefix(3)
      let (id, sampling, table) = (part.first!, part.dropFirst().first!, part.last!)
      return Component(id: id, horizontal: Int(sampling >> 4), vertical: Int(sampling & 15), quantisation: Int(table))
    }
    for component in components {
      guard (1...4).contains(component.horizontal), (1...4).contains(component.vertical) else {
        throw .damaged("invalid sampling factors of component \(component.id)")
      }
      guard component.quantisation < 4 else {
        throw .damaged("invalid quantisation table of component \(component.id)")
      }
    }
  }
}
