import BookExpectations
import ImageCore

extension PDFValue {
  private static let maximumDepth = 8

  /// Returns the value as digests cover it, whatever objects hold its parts.
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
