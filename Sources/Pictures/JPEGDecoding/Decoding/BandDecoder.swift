/// Decodes a scan's rows of MCUs into the components' band.
protocol BandDecoder: AnyObject {
  /// The maximum number of MCU rows in a band.
  var rowsPerBand: Int { get }
  /// Decodes the next rows of MCUs. Returns false for anything unusual, after which it must not be called again.
  func decode(_ rows: Range<Int>) -> Bool
  /// Whether the end of image marker (EOI) follows. Called after the last row.
  func endsImage() -> Bool
}

extension ScanDecoder: BandDecoder {
  var rowsPerBand: Int { 1 }
  func decode(_ rows: Range<Int>) -> Bool { decodeRow(rows.lowerBound, to: 0) }
}
