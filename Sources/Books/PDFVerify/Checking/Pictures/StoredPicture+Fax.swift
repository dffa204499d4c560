import ImageCore
import RowCompression

/// Group 4 of facsimile, decoded by our own code, and not by poppler's.
extension StoredPicture {
  /// Gray, 8 bits: black and white.
  static func fax(_ facts: PictureFacts, _ data: UnsafeRawBufferPointer, _ hasMoreRows: inout Bool)
    throws(PictureFault) -> PixelBuffer
  {
    let parameters = facts.parameters
    // PDF 32000-1:2008, table 11, with its defaults.
    guard let group = parameters["K"]?.integer, group < 0, parameters["EncodedByteAlign"] != .boolean(true),
      facts.colourSpace == .gray, facts.palette == nil, facts.bits == 1
    else { throw .foreign("its fax rows are of a kind that imghost never writes") }
    let columns = parameters["Columns"]?.integer ?? 1_728
    guard columns == facts.width else {
      throw .sizeStated(width: facts.width, height: facts.height, actualWidth: columns, actualHeight: facts.height)
    }
    let stated = parameters["Rows"]?.integer ?? 0
    guard stated == 0 || stated == facts.height else {
      throw .sizeStated(width: facts.width, height: facts.height, actualWidth: columns, actualHeight: stated)
    }
    let isBlackOne = parameters["BlackIs1"] == .boolean(true)
    let result = PixelBuffer(PictureLayout(width: facts.width, height: facts.height, format: .gray8))
    var decoder = FaxDecoder(data, width: facts.width)
    for y in 0..<facts.height {
      guard decoder.next() else { throw .notDecoded("its fax rows are damaged from row \(y + 1) on, or too few") }
      decoder.write(
        white: isBlackOne ? 0 : 255, black: isBlackOne ? 255 : 0, to: result.row(y).assumingMemoryBound(to: UInt8.self))
    }
    hasMoreRows = !decoder.endsWithBlock() && decoder.next()
    return result
  }
}
