import ImageCore
import RowCompression

/// The reason why fax rows cannot be stored.
package enum FaxFault: Error, Equatable {
  /// Rows from this one on, counted from 1, cannot be decoded.
  case damaged(row: Int)
}

extension FaxFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .damaged(let row): "its fax rows are damaged from row \(row) on"
    }
  }
}

extension PDFPicture {
  /// Creates a picture of rows in CCITT Group 4 (ITU-T T.6), stored unchanged. All rows are decoded once.
  ///
  /// - Parameter isInverted: whether black and white are exchanged, compared with T.6.
  /// - Throws: `FaxFault` if a row cannot be decoded.
  package init(fax bytes: EncodedBytes, width: Int, height: Int, isInverted: Bool, iccProfile: [UInt8] = [])
    throws(FaxFault)
  {
    let endsWithBlock = try bytes.withUnsafeBytes { (bytes) throws(FaxFault) in
      var decoder = FaxDecoder(bytes, width: width)
      for row in 1...height { guard decoder.next() else { throw .damaged(row: row) } }
      return decoder.endsWithBlock()
    }
    self.init(
      data: .encoded(bytes), compression: .fax(isInverted: isInverted, endsWithBlock: endsWithBlock),
      format: Format(width: width, height: height, colourSpace: .gray, bits: 1), iccProfile: iccProfile)
  }

  /// Returns the picture of a file with the file's bytes held in memory.
  package func holding(_ bytes: EncodedBytes) -> PDFPicture {
    var held = Data.encoded(bytes)
    if case .completed(let head, _, let range) = data { held = bytes.withUnsafeBytes { .bytes(head + $0[range]) } }
    return PDFPicture(
      data: held, compression: compression, format: format, mask: mask, iccProfile: iccProfile)
  }
}
