/// The version of PDF that a file needs (PDF 32000-1:2008, Annex I). The header states the version known at
/// the start; the catalogue states a higher one.
package enum PDFVersion: Int, Sendable, Comparable {
  case v14 = 4
  /// Adds 16-bit components, JPEG 2000, object streams and cross-reference streams.
  case v15 = 5
  /// Adds UserUnit.
  case v16 = 6

  /// ISO 32000-1.
  case v17 = 7

  package static func < (left: PDFVersion, right: PDFVersion) -> Bool { left.rawValue < right.rawValue }

  /// The value of the catalogue's Version entry.
  package var text: String { "1.\(rawValue)" }
}
