/// A standard that a file promises to follow.
public enum Conformance: String, Sendable, Hashable, CaseIterable {
  /// ISO 19005-1:2005, level B: the file looks the same for ever.
  case pdfA1b = "pdf/a-1b"
  /// ISO 19005-2:2011, level B.
  case pdfA2b = "pdf/a-2b"
  /// ISO 19005-3:2012, level B.
  case pdfA3b = "pdf/a-3b"

  /// The value of `pdfaid:part`.
  var part: Int {
    switch self {
    case .pdfA1b: 1
    case .pdfA2b: 2
    case .pdfA3b: 3
    }
  }

  /// The value of `pdfaid:conformance`.
  var level: String { "B" }
}
