/// An object of a PDF (PDF 32000-1:2008, 7.3), streams aside.
enum PDFValue: Sendable, Equatable {
  case null
  case boolean(Bool)
  case integer(Int)
  case real(Double)
  case string([UInt8])
  case name(String)
  case array([PDFValue])
  case dictionary([String: PDFValue])
  /// The number of an indirect object.
  case reference(Int)

  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }
  var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  var name: String? { if case .name(let value) = self { value } else { nil } }
  var array: [PDFValue]? { if case .array(let value) = self { value } else { nil } }
  var reference: Int? { if case .reference(let value) = self { value } else { nil } }
  var dictionary: [String: PDFValue]? { if case .dictionary(let value) = self { value } else { nil } }
}
