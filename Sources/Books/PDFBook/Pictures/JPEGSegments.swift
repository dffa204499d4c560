import ImageCore

/// Segments that a JPEG lacks but a PDF needs. They are inserted after the JPEG's SOI marker; the JPEG's own bytes stay
/// unchanged.
extension JPEGHeader {
  /// Whether the JPEG's three components are red, green and blue. A JFIF file is YCbCr. Otherwise, the Adobe marker
  /// decides, or else the components' identifiers, as in libjpeg's `default_decompress_parms`.
  var isRGB: Bool {
    guard components == 3, !isJFIF else { return false }
    return adobeTransform.map { $0 == 0 } ?? namesRGB
  }

  /// Whether readers disagree about the JPEG's colours, because JFIF means YCbCr and the Adobe marker says RGB. PDF
  /// readers follow the Adobe marker (PDF 32000-1:2008, table 13), other programs JFIF.
  var isDisputed: Bool { components == 3 && isJFIF && adobeTransform == 0 }

  /// The missing segments. A file gets an Adobe marker if only its components' identifiers indicate RGB, because
  /// without it Ghostscript 10 treats three components as YCbCr, whatever the dictionary says. Files without Huffman
  /// tables, such as frames of webcams, get the tables of T.81, K.3.
  var missingSegments: [UInt8] {
    (isRGB && adobeTransform == nil ? Self.adobeRGB : []) + (lacksTables ? JPEGTableSet.standard : [])
  }

  /// An Adobe marker with version 100, no flags and no transform (Adobe Technical Note 5116, 18).
  private static let adobeRGB: [UInt8] = [0xff, 0xee, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]
}

extension PDFPicture {
  /// A clause about the segments or the header that the book adds to the file's bytes; nil for none.
  package var addition: String? {
    guard case .completed(let head, _, _) = data else { return nil }
    if compression != .jpeg { return "a bare JPEG 2000 codestream; the book adds a JP2 header" }
    if !format.isUntransformed { return "it has no Huffman tables; the book adds the standard ones" }
    return head.count > 100
      ? "it has no Huffman tables and no marker that says RGB; the book adds both"
      : "no marker says that it is RGB; the book adds one"
  }
}

extension PDFPicture.Data {
  /// Returns the data of a JPEG with segments inserted after its start.
  func inserting(_ segments: [UInt8]) -> PDFPicture.Data {
    guard !segments.isEmpty else { return self }
    switch self {
    case .bytes(let bytes): return .bytes(bytes[..<2] + segments + bytes[2...])
    case .encoded(let bytes): return bytes.withUnsafeBytes { .bytes($0[..<2] + segments + $0[2...]) }
    case .file(let file, let offset, let count):
      return .completed([0xff, 0xd8] + segments, file, offset + 2..<offset + count)
    case .parts, .completed: preconditionFailure("a JPEG that is no whole file")
    }
  }
}

extension JPEGTableSet {
  /// Both DC and both AC tables of T.81, K.3.3, as one DHT segment.
  static let standard: [UInt8] = {
    let tables: [(UInt8, counts: [UInt8], symbols: [UInt8])] = [
      (0x00, [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], Array(0...11)),
      (0x10, [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d], luminance),
      (0x01, [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], Array(0...11)),
      (0x11, [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77], chrominance),
    ]
    let body = tables.flatMap { [$0.0] + $0.counts + $0.symbols }
    return [0xff, 0xc4, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 0xff)] + body
  }()

  /// The symbols of the AC table for luminance (T.81, table K.5).
  private static let luminance = Hexadecimal.bytes(
    "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a34353637"
      + "38393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3"
      + "a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa")!

  /// The symbols of the AC table for chrominance (T.81, table K.6).
  private static let chrominance = Hexadecimal.bytes(
    "000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a3536"
      + "3738393a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999a"
      + "a2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa")!
}
