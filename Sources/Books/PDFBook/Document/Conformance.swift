/// A standard that a file promises to follow.
package enum Conformance: String, Sendable, Hashable, CaseIterable {
  /// ISO 19005-1:2005, level B: the file looks the same for ever.
  case pdfA1b = "pdf/a-1b"
  /// ISO 19005-2:2011, level B.
  case pdfA2b = "pdf/a-2b"
  /// ISO 19005-3:2012, level B.
  case pdfA3b = "pdf/a-3b"
  /// ISO 15930-4:2003, for print: CMYK, grays, and nothing transparent.
  case pdfX1a = "pdf/x-1a"
  /// ISO 15930-7:2010, for print: colours with profiles, and transparency.
  case pdfX4 = "pdf/x-4"

  /// The value of `pdfaid:part`, whose `pdfaid:conformance` is B; nil for other standards.
  var archivalPart: Int? {
    switch self {
    case .pdfA1b: 1
    case .pdfA2b: 2
    case .pdfA3b: 3
    case .pdfX1a, .pdfX4: nil
    }
  }

  /// Whether it is one for print: the file says for which printer, and where it is cut.
  package var isForPrint: Bool { archivalPart == nil }

  /// Whether nothing may be transparent, as in PDF 1.4 and PDF/X-1a.
  package var isOpaque: Bool { self == .pdfA1b || self == .pdfX1a }

  /// Whether all colours must be gray or CMYK.
  package var isInk: Bool { self == .pdfX1a }

  /// The value of GTS_PDFXVersion; nil for other standards.
  var printVersion: String? {
    switch self {
    case .pdfX1a: "PDF/X-1a:2003"
    case .pdfX4: "PDF/X-4"
    case .pdfA1b, .pdfA2b, .pdfA3b: nil
    }
  }
}
