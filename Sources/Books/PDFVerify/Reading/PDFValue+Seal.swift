import BookExpectations
import ImageCore

extension PDFValue {
  private static let maximumDepth = 8

  /// The value as seals have it, whatever the objects that hold its parts.
  ///
  /// - Parameter left: how many values may still be read.
  func sealed(_ file: PDFFile, depth: Int = 0, _ left: inout Int) -> String {
    left -= 1
    guard depth < Self.maximumDepth, left > 0 else { return "?" }
    switch file.resolve(self) {
    case .string(let bytes): return TagSeal.text(TextString.text(bytes))
    case .name(let name): return "/" + name
    case .array(let items):
      return TagSeal.list(items.map { $0.sealed(file, depth: depth + 1, &left) })
    case .dictionary(let entries):
      return TagSeal.dictionary(
        entries.sorted { $0.key < $1.key }.map {
          ($0.key, $0.value.sealed(file, depth: depth + 1, &left))
        })
    case .boolean(let value): return "\(value)"
    case let value: return value.number.map { TagSeal.number($0) } ?? "?"
    }
  }
}
