/// The version of PDF a file needs (PDF 32000-1:2008, Annex I): the header says 1.4, the catalogue more.
enum PDFVersion: Int, Sendable, Comparable {
  case v14 = 4
  /// 16-bit components, cross-reference streams.
  case v15 = 5
  /// UserUnit.
  case v16 = 6

  static func < (left: PDFVersion, right: PDFVersion) -> Bool { left.rawValue < right.rawValue }

  /// As the catalogue's Version entry writes it.
  var text: String { "1.\(rawValue)" }
}
