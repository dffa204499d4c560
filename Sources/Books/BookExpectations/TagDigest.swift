import ImageCore

/// The digest of a page's tags: its elements in reading order, their types and entries, and the content and annotations
/// of the page that they hold. Objects' numbers do not count.
public struct TagDigest: Sendable {
  private var hash = SHA256()
  /// Whether there is no content and no annotation in what was added.
  public private(set) var isEmpty = true

  public init() {}

  /// An element of a type, with its entries in the order of their keys; its kids follow, and `end`.
  public mutating func begin(_ type: String, _ entries: [(key: String, value: String)]) {
    add("<\(type)")
    for entry in entries.sorted(by: { $0.key < $1.key }) { add("/\(entry.key) \(entry.value)") }
    add(">")
  }

  public mutating func end() { add("</>") }

  /// Marked content of the page, by its MCID.
  public mutating func addContent(_ mark: Int) {
    isEmpty = false
    add(" \(mark)")
  }

  /// An annotation, by its place among the page's from 0, and what is read instead of it.
  public mutating func addAnnotation(_ index: Int, _ text: String) {
    isEmpty = false
    add("@\(index)\(Self.text(text))")
  }

  public consuming func finish() -> ShortDigest { ShortDigest(hash.finish()) }

  private mutating func add(_ text: String) { hash.update(Array(text.utf8)) }

  /// Returns the digest of all that belongs to a page; nil for nothing.
  ///
  /// - Parameters:
  ///   - sections: elements that are in no other one but the document and its parts.
  ///   - shared: what elements of other pages have of this one, as `share` gives it.
  public static func page(_ sections: [ShortDigest], shared: [String] = []) -> ShortDigest? {
    if shared.isEmpty, sections.count < 2 { return sections.first }
    let text = sections.map(\.description) + shared
    return ShortDigest(SHA256.digest(of: Array(text.joined(separator: " ").utf8)))
  }

  /// Content of a page in an element of another page's.
  ///
  /// - Parameter place: among the element's kids, from 0.
  public static func share(_ type: String, place: Int, mark: Int) -> String { "\(type) \(place) \(mark)" }

  // MARK: Values of entries

  public static func text(_ text: String) -> String { "(\(text.utf8.count):\(text))" }

  public static func number(_ value: Double) -> String { Points.text(value) }

  public static func list(_ values: [String]) -> String { "[\(values.joined(separator: " "))]" }

  public static func dictionary(_ entries: [(key: String, value: String)]) -> String {
    let sorted = entries.sorted { $0.key < $1.key }
    return "<<\(sorted.map { "/\($0.key) \($0.value)" }.joined())>>"
  }
}
