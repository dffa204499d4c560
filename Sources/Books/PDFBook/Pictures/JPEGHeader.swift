import ImageCore

/// The properties of a JPEG that a PDF states, read from its markers (ITU-T T.81, Annex B).
package struct JPEGHeader: Sendable, Hashable {
  package let width: Int
  package let height: Int
  package let components: Int
  /// The bits of a sample: 8, or 12 in rare files.
  package let bits: Int
  package let isArithmetic: Bool
  package let isLossless: Bool
  /// The transform byte of an Adobe APP14 marker; nil without one (Adobe Technical Note 5116, 18).
  package let adobeTransform: Int?
  /// Whether it has a JFIF marker.
  var isJFIF = false
  /// Whether its components are named R, G and B.
  var namesRGB = false
  /// Whether it has no Huffman tables, so that those of T.81, K.3, apply, as in frames of Motion JPEG.
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
  /// Reads the header of a JPEG in memory, to its first scan.
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
