/// The version of PDF a file needs (PDF 32000-1:2008, Annex I): the header says what is known at first, the
/// catalogue more.
public enum PDFVersion: Int, Sendable, Comparable {
  case v14 = 4
  /// 16-bit components, JPEG 2000, object streams, cross-reference streams.
  case v15 = 5
  /// UserUnit.
  case v16 = 6

  /// ISO 32000-1.
  case v17 = 7

  public static func < (left: PDFVersion, right: PDFVersion) -> Bool {
    left.rawValue < right.rawValue
  }

  /// As the catalogue's Version entry writes it.
  public var text: String { "1.\(rawValue)" }
}
