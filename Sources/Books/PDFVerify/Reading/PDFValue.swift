import BookExpectations
import ImageCore

/// An object of a PDF (PDF 32000-1:2008, 7.3), except streams.
enum PDFValue: Sendable, Equatable {
  case null
  case boolean(Bool)
  case integer(Int)
  case real(Double)
  case string([UInt8])
  case name(String)
  case array([PDFValue])
  case dictionary([String: PDFValue])
  /// A reference to the indirect object with this number.
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

// MARK: - Digest text

extension PDFValue {
  private static let maximumDepth = 8

  /// Returns the text of a value for digests. It does not depend on how the value is divided into objects.
  ///
  /// - Parameter left: the number of values that may still be read.
  func digestText(_ file: PDFFile, depth: Int = 0, _ left: inout Int) -> String {
    left -= 1
    guard depth < Self.maximumDepth, left > 0 else { return "?" }
    switch file.resolve(self) {
    case .string(let bytes): return TagDigest.text(TextString.text(bytes))
    case .name(let name): return "/" + name
    case .array(let items):
      return TagDigest.list(items.map { $0.digestText(file, depth: depth + 1, &left) })
    case .dictionary(let entries):
      return TagDigest.dictionary(
        entries.sorted { $0.key < $1.key }.map {
          ($0.key, $0.value.digestText(file, depth: depth + 1, &left))
        })
    case .boolean(let value): return "\(value)"
    case let value: return value.number.map { TagDigest.number($0) } ?? "?"
    }
  }
}
