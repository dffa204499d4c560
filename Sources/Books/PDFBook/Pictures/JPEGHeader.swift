import ImageCore

/// The properties of a JPEG that a PDF has to declare, read from its markers (ITU-T T.81, Annex B).
package struct JPEGHeader: Sendable, Hashable {
  package let width: Int
  package let height: Int
  package let components: Int
  /// The bits per sample: 8, or 12 in rare files.
  package let bits: Int
  package let isArithmetic: Bool
  package let isLossless: Bool
  /// The transform byte of an Adobe APP14 marker; nil without one (Adobe Technical Note 5116, 18).
  package let adobeTransform: Int?
  /// Whether the JPEG has a JFIF marker.
  var isJFIF = false
  /// Whether its components are named R, G and B.
  var namesRGB = false
  /// Whether the JPEG has no Huffman tables, so that the standard tables of T.81, K.3, apply, as in frames of Motion
  /// JPEG.
  var lacksTables = false

  package init(
    width: Int, height: Int, components: Int, bits: Int = 8, isArithmetic: Bool = false, isLossless: Bool = false,
    adobeTransform: Int? = nil
  ) {
    self.width = width
    self.height = height
    self.components = components
    self.bits = bits
    self.isArithmetic = isArithmetic
    self.isLossless = isLossless
    self.adobeTransform = adobeTransform
  }
}

extension JPEGHeader {
  /// Reads the header of a JPEG in memory, up to its first scan.
  package init(_ bytes: UnsafeRawBufferPointer) throws(JPEGFault) {
    var reader = JPEGHeaderReader(count: bytes.count) { (offset, count) throws(FileError) in
      Array(bytes[offset..<min(bytes.count, offset + count)])
    }
    self = try reader.header()
  }

  /// Reads the header of a file, up to its first scan. The first read is large enough for most headers; more is read as
  /// needed.
  package init(_ file: InputFile) throws(JPEGFault) {
    var reader = JPEGHeaderReader(file)
    self = try reader.header()
  }
}

/// A fault that prevents a JPEG from being stored in a PDF unchanged. Encoding the picture again removes the fault.
package enum JPEGFault: Error, Sendable, Equatable {
  case file(FileError)
  /// The file does not begin like a JPEG.
  case notAJPEG
  /// There are bytes between the segments. Some decoders skip them and show a picture.
  case strayBytes
  /// A number of bits per sample that most PDF readers show as a blank page.
  case precision(bits: Int)
  case arithmeticCoding
  case lossless
  case components(Int)
  /// The file's markers contradict each other: JFIF means YCbCr, but the Adobe marker says RGB.
  case disputedColours
  /// A part of the file is missing or invalid, so that no decoder shows the whole picture.
  case damaged(String)
  /// The file ends before the picture does.
  case truncated
}

extension JPEGFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let error): error.description
    case .notAJPEG: "is not a JPEG file"
    case .strayBytes: "has stray bytes between its segments"
    case .precision(let bits): "is a \(bits)-bit JPEG, which PDF readers show blank"
    case .arithmeticCoding: "is an arithmetic-coded JPEG, which PDF readers show blank"
    case .lossless: "is a lossless JPEG, which PDF readers show blank"
    case .components(let count): "is a JPEG with \(count) components, which PDF cannot hold"
    case .disputedColours: "is YCbCr by its JFIF marker and RGB by its Adobe marker"
    case .damaged(let words): "is damaged (\(words))"
    case .truncated: "is truncated"
    }
  }
}

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
  /// The components; empty for a coding process that PDF does not support.
  private(set) var components: [Component] = []

  var isProgressive: Bool { marker == 0xc2 }
  /// Whether the coding process is sequential or progressive DCT with Huffman codes and 8 bits per sample. PDF readers
  /// decode no other process.
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
