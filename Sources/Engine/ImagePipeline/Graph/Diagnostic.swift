import Platform

/// A place in a script.
package struct ScriptPosition: Sendable, Hashable {
  /// Thousands of pictures and jobs come from few lines: copies share one object.
  private final class Place: Sendable {
    let file: String
    let line: Int
    let origin: String?

    init(file: String, line: Int, origin: String?) {
      self.file = file
      self.line = line
      self.origin = origin
    }
  }

  private let place: Place

  /// The script's path as it was given.
  package var file: String { place.file }
  package var line: Int { place.line }
  /// The call that led to a place in a plugin's file: "plugin 'duotone', called at book.lua:3".
  package var origin: String? { place.origin }

  package init(file: String, line: Int, origin: String? = nil) {
    place = Place(file: file, line: line, origin: origin)
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.place === right.place || left.line == right.line && left.file == right.file && left.origin == right.origin
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(file)
    hasher.combine(line)
    hasher.combine(origin)
  }
}

/// One mistake or failure: the only place where sentences for users are put together.
///
/// `photobook.lua:7: resize: unknown option 'widht' (did you mean 'width'?); valid: …`
package struct Diagnostic: Sendable, Hashable, Error {
  package enum Kind: String, Sendable {
    /// A mistake in the script: nothing runs.
    case script
    /// A mistake in what the command line gives the script: nothing runs.
    case usage
    /// A picture that cannot be read.
    case input
    /// An output that could not be written.
    case output
    /// A book that did not verify.
    case verification

    /// Whether nothing runs, whatever `--on-error` says.
    package var stopsRun: Bool { self == .script || self == .usage }
  }

  package let kind: Kind
  package let position: ScriptPosition?
  /// The operation or function, as the script calls it.
  package let subject: String?
  /// The file it is about.
  package let file: String?
  /// The sentence about what is wrong, without `advice`.
  package let message: String
  /// A way out that scripts and command lines name in different words.
  package var advice: Advice?
  /// Whether the message is shown in its own lines.
  package var keepsLines = false
  /// The parameter of the call that a mistake is about; nil for none.
  package var parameter: String?
  /// A cause that several outputs may share, in equal words; nil for an output's own failure.
  package var cause: String?

  package enum Advice: String, Sendable {
    /// The file can be read in part.
    case acceptDamage

    private static let effect = " shows what can be read"

    var inScript: String {
      switch self {
      case .acceptDamage: "open(…, { damaged = \"accept\" })" + Self.effect
      }
    }

    package var onCommandLine: String {
      switch self {
      case .acceptDamage: "--damaged accept" + Self.effect
      }
    }
  }

  package init(_ kind: Kind, at position: ScriptPosition?, subject: String? = nil, file: String? = nil, message: String)
  {
    self.kind = kind
    self.position = position
    self.subject = subject
    self.file = file
    self.message = Self.shortened(message)
  }

  /// The most bytes of a part of a line: a script or a file may name something of any length, and thousands of mistakes
  /// wait for the end of the script.
  private static let longestPart = 16 << 10

  private static func shortened(_ part: String) -> String {
    guard part.utf8.count > longestPart else { return part }
    return String(decoding: part.utf8.prefix(longestPart), as: UTF8.self) + "…"
  }

  /// The text for those who show the position themselves.
  package var textWithoutPosition: String {
    var bare = Diagnostic(kind, at: nil, subject: subject, file: file, message: message)
    bare.keepsLines = keepsLines
    bare.advice = advice
    return bare.text
  }

  /// The message with its advice, in the words of a script.
  package var messageWithAdvice: String { advice.map { message + "; " + $0.inScript } ?? message }

  /// The whole line, or lines.
  package var text: String {
    var parts: [String] = []
    if let position { parts.append("\(position.file):\(position.line)") }
    if let subject { parts.append(subject) }
    if let file { parts.append(file) }
    // One line, whatever a file put into it.
    parts = parts.map { printable(Self.shortened($0)) }
    parts.append(
      printable(messageWithAdvice + (position?.origin.map { " (in \($0))" } ?? ""), keepingLines: keepsLines))
    return parts.joined(separator: ": ")
  }
}

/// A name from outside with control characters made visible, so that it cannot rewrite a terminal.
package func printable(_ text: String, keepingLines: Bool = false) -> String {
  if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
  var result = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    if let byte = PathBytes.byte(of: scalar) {
      result.append(contentsOf: "\\x\(String(byte, radix: 16))".unicodeScalars)
    } else {
      result.append(isControl(scalar) && !(keepingLines && scalar == "\n") ? "\u{FFFD}" : scalar)
    }
  }
  return String(result)
}

/// Whether a character steers a terminal: control characters of 7 and 8 bits, and those that turn the direction of text.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7f...0x9f, 0x202a...0x202e, 0x2066...0x2069: true
  default: false
  }
}

/// A line that a script has printed, as another program has kept it: with its tabs and line ends.
package func printableLines(_ text: String) -> String {
  String(
    String.UnicodeScalarView(
      text.unicodeScalars.map { isControl($0) && $0 != "\n" && $0 != "\t" ? "\u{FFFD}" : $0 }))
}
