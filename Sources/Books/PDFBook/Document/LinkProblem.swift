import TextShaping

/// A problem that prevents a page from linking to an address.
package enum LinkProblem: Error, Sendable, Hashable {
  /// The address does not begin with a scheme such as `https:` (RFC 3986, 3.1).
  case noScheme(String)
  /// Nothing follows the scheme, or the host is missing.
  case noHost(String)
  /// The address itself contains a program or document, because of a scheme such as `javascript` or `data`.
  case program(String)
  /// The address has a control character: U+0000 to U+001F, or U+007F to U+009F.
  case control(UInt32, String)
  /// The address has a space at its start, at its end or in the host name, where it can only be a mistake.
  case space(String)
  /// The address has more than `maximumLength` bytes in UTF-8.
  case tooLong(Int)

  /// The maximum number of bytes in an address. Many servers reject longer addresses. The percent-encoded form of an
  /// address of this length still fits into a string of PDF/A-2.
  static let maximumLength = 8_000

  private static let programs = ["javascript", "vbscript", "data"]
  private static let withHost = ["http", "https", "ftp", "ftps"]

  /// Finds the problem of an address; nil if there is none. Spaces in the path are allowed, because file names may
  /// contain them; they are percent-encoded when the address is written.
  package init?(_ address: String) {
    let shown = TextError.excerpt(of: address)
    guard address.utf8.count <= Self.maximumLength else {
      self = .tooLong(address.utf8.count)
      return
    }
    if let control = TextError.firstControl(in: address) {
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
  package var description: String {
    switch self {
    case .noScheme(let text):
      "'\(text)' has no scheme; write 'https://…', 'mailto:…' or the like"
    case .noHost(let text): "'\(text)' has no host or address after its scheme"
    case .program(let text):
      "'\(text)' is itself a program or document; use an address such as 'https://…'"
    case .control(let value, let text):
      "'\(text)' contains the control character \(TextError.codePoint(value))"
    case .space(let text): "'\(text)' has a space where an address cannot have one"
    case .tooLong(let count):
      "an address of \(count) bytes is too long; at most \(Self.maximumLength)"
    }
  }
}
