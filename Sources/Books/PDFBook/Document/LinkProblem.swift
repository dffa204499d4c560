/// Why an address cannot be opened from a page.
public enum LinkProblem: Error, Sendable, Hashable {
  /// It begins with no `letters:` (RFC 3986, 3.1).
  case noScheme(String)
  /// Nothing, or no host, after the scheme.
  case noHost(String)
  /// A scheme whose address is a program or a whole document.
  case program(String)
  /// U+0000 to U+001F, U+007F to U+009F.
  case control(UInt32, String)
  /// At an end, or where a host is named: nobody means it.
  case space(String)
  /// UTF-8 bytes; at most `maximumLength`.
  case tooLong(Int)

  /// More than any browser opens, and less than a string of PDF/A-2 may have when each byte takes three.
  static let maximumLength = 8_000

  private static let programs = ["javascript", "vbscript", "data"]
  private static let withHost = ["http", "https", "ftp", "ftps"]

  /// Nil for an address that can be opened, as far as can be told from it. Spaces in its path may stay: they are
  /// percent-encoded, as names of files have them.
  public init?(_ address: String) {
    let shown = TextError.start(of: address)
    guard address.utf8.count <= Self.maximumLength else {
      self = .tooLong(address.utf8.count)
      return
    }
    if let control = address.unicodeScalars.first(where: {
      $0.value < 0x20 || (0x7f...0x9f).contains($0.value)
    }) {
      self = .control(control.value, shown)
      return
    }
    if address.first?.isWhitespace ?? false || address.last?.isWhitespace ?? false {
      self = .space(shown)
      return
    }
    guard let problem = Self.problem(address, shown) else { return nil }
    self = problem
  }

  private static func problem(_ address: String, _ shown: String) -> LinkProblem? {
    let scheme = address.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    let rest = address.dropFirst(scheme.count)
    guard scheme.first?.isLetter ?? false, rest.first == ":" else { return .noScheme(shown) }
    let name = scheme.lowercased()
    if programs.contains(name) { return .program(shown) }
    guard withHost.contains(name) else { return rest.count > 1 ? nil : .noHost(shown) }
    guard rest.hasPrefix("://") else { return .noHost(shown) }
    let host = rest.dropFirst(3).prefix { !"/?#".contains($0) }
    if host.isEmpty { return .noHost(shown) }
    return host.contains(where: \.isWhitespace) ? .space(shown) : nil
  }
}

extension LinkProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noScheme(let text):
      "'\(text)' has no scheme; write 'https://…', 'mailto:…' or the like"
    case .noHost(let text): "'\(text)' names no host or nothing after its scheme"
    case .program(let text):
      "'\(text)' would run a program or open a document of its own; use an address such as 'https://…'"
    case .control(let value, let text):
      "'\(text)' contains the control character \(TextError.codePoint(value))"
    case .space(let text): "'\(text)' has a space where an address cannot have one"
    case .tooLong(let count):
      "an address of \(count) bytes is too long; at most \(Self.maximumLength)"
    }
  }
}
