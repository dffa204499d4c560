/// Decodes a scan's rows of MCUs into the components' band.
protocol BandDecoder: AnyObject {
  /// The most rows of MCUs of a band.
  var rowsPerBand: Int { get }
  /// Decodes the next rows; false at what is not usual, after which it is not called again.
  func decode(_ rows: Range<Int>) -> Bool
  /// After the last row: whether the end of image marker follows.
  func endsImage() -> Bool
}

extension ScanDecoder: BandDecoder {
  var rowsPerBand: Int { 1 }
  func decode(_ rows: Range<Int>) -> Bool { decodeRow(rows.lowerBound, to: 0) }
}
