import ImageCore

/// The digest of a page's tags: the elements in reading order with their types and entries, and the content and
/// annotations of the page in these elements. Object numbers are ignored.
public struct TagDigest: Sendable {
  private var hash = SHA256()
  /// Whether the page has no content and no annotations so far.
  public private(set) var isEmpty = true

  public init() {}

  /// Begins an element with its type and its entries, which may be in any order. The caller then adds its children, and
  /// calls `end`.
  public mutating func begin(_ type: String, _ entries: [(key: String, value: String)]) {
    add("<\(type)")
    for entry in entries.sorted(by: { $0.key < $1.key }) { add("/\(entry.key) \(entry.value)") }
    add(">")
  }

  public mutating func end() { add("</>") }

  /// Adds marked content of the page, given by its marked-content identifier (MCID).
  public mutating func addContent(_ mark: Int) {
    isEmpty = false
    add(" \(mark)")
  }

  /// Adds an annotation, given by its index on the page, from 0, with its alternative text.
  public mutating func addAnnotation(_ index: Int, _ text: String) {
    isEmpty = false
    add("@\(index)\(Self.text(text))")
  }

  public consuming func finish() -> ShortDigest { ShortDigest(hash.finish()) }

  private mutating func add(_ text: String) { hash.update(Array(text.utf8)) }

  /// Returns the digest of all tags of a page; nil for a page without tags.
  ///
  /// - Parameters:
  ///   - sections: the digests of the page's elements that are directly inside a `Document` or `Part` element.
  ///   - shared: content of this page in elements of other pages, as returned by `share`.
  public static func page(_ sections: [ShortDigest], shared: [String] = []) -> ShortDigest? {
    if shared.isEmpty, sections.count < 2 { return sections.first }
    let text = sections.map(\.description) + shared
    return ShortDigest(SHA256.digest(of: Array(text.joined(separator: " ").utf8)))
  }

  /// Returns a text that identifies content of this page inside an element of another page.
  ///
  /// - Parameter place: the index of the content among the element's children, from 0.
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

/// The first 8 bytes of a SHA-256 digest: enough to distinguish the pictures and pages of a document, and to detect
/// accidental changes.
public struct ShortDigest: Sendable, Hashable {
  /// The digest's bytes as a big-endian number.
  private let word: UInt64

  public init(_ digest: SHA256Digest) { word = digest.prefix }

  /// Reads 16 hexadecimal digits.
  public init?(hexadecimal text: some StringProtocol) {
    guard let bytes = Hexadecimal.bytes(text), bytes.count == 8 else { return nil }
    word = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension ShortDigest: CustomStringConvertible {
  /// The digest as 16 lower-case hexadecimal digits.
  public var description: String {
    withUnsafeBytes(of: word.bigEndian) { Hexadecimal.text($0) }
  }

  func append(to text: inout UTF8Text) {
    for shift in stride(from: UInt64(60), through: 0, by: -4) {
      let digit = UInt8(word >> shift & 15)
      text.bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
}
