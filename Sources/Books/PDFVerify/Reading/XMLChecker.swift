import BookExpectations
import ImageCore

/// Checks whether a text is well-formed XML, to the extent that XMP packets require.
enum XMLChecker {
  private static let maximumDepth = 256

  /// Returns the first problem; nil for none.
  static func problem(with bytes: [UInt8]) -> String? {
    guard let text = XMPEncoding.text(bytes) else { return "it is not UTF-8, UTF-16 or UTF-32" }
    var reader = XMLReader(Array(text.utf8), maximumDepth: maximumDepth, keepsContent: false)
    do throws(XMLFault) { try reader.readAll() } catch {
      switch error {
      case .documentType: return "it has a document type, which XMP does not allow"
      case .entity(let name): return "the reference '&\(name);' is unknown"
      case .tooDeep: return "elements are nested more than \(maximumDepth) deep"
      case .tooMany: return "an element has more than 1000 attributes, or 256 namespaces are in scope"
      case .malformed(let problem, _): return problem
      }
    }
    return nil
  }
}
