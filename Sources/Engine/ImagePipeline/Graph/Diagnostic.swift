import ImageCore
import Platform

/// A place in a script.
package struct ScriptPosition: Sendable, Hashable {
  /// An object shared by all copies of a position, because thousands of pictures and jobs come from a few lines.
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
  /// The call that led to a position in a plugin's file: "plugin 'duotone', called at prints.lua:3".
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

/// One mistake, failure or note. `text` composes the line that users see from the parts:
///
/// `prints.lua:7: resize: unknown option 'widht' (did you mean 'width'?); valid: …`
package struct Diagnostic: Sendable, Hashable, Error {
  package enum Kind: String, Sendable {
    /// A mistake in the script, which prevents the run.
    case script
    /// A mistake in the command line's values for the script, which prevents the run.
    case usage
    /// A picture that cannot be read or that a call cannot be applied to, a pattern or folder without pictures, or a
    /// note about pictures.
    case input
    /// An output that could not be written, or a note.
    case output
    /// A document that failed verification.
    case verification

    /// Whether the mistake prevents the run, regardless of `--on-error`.
    package var stopsRun: Bool { self == .script || self == .usage }
  }

  package let kind: Kind
  package let position: ScriptPosition?
  /// The name of the operation, function or command-line option that the message concerns.
  package let subject: String?
  /// The file that the message concerns.
  package let file: String?
  /// The sentence that describes the problem, without `advice`.
  package internal(set) var message: String
  /// Advice on a remedy, whose wording differs for scripts and command lines.
  package var advice: Advice?
  /// Whether the message is shown with its own line breaks.
  package var keepsLines = false
  /// The parameter that a mistake in a call's arguments concerns; nil for none.
  package var parameter: String?
  /// Whether the mistake is that a call lacks a required value.
  package var lacksValue = false
  /// The cause, if the failures of other outputs may have the same one; otherwise nil.
  package var cause: String?
  /// The problem of a picture file that cannot be read, without advice; nil for other messages.
  package var reason: String?
  /// Whether an output is refused to protect a user's file. Such a failure never stops the run.
  package let isRefusal: Bool

  package enum Advice: String, Sendable {
    /// The advice to accept the damage, because a part of the file can be read.
    case acceptDamage
    /// The advice for a path that may have been meant as a pattern.
    case usePattern

    private static let effect = " shows what can be read"

    var inScript: String {
      switch self {
      case .acceptDamage: "open(…, { damaged = \"accept\" })" + Self.effect
      case .usePattern: "img.glob reads patterns"
      }
    }

    package var onCommandLine: String {
      switch self {
      case .acceptDamage: "--damaged accept" + Self.effect
      case .usePattern: "patterns are arguments of the command line"
      }
    }
  }

  package init(
    _ kind: Kind, at position: ScriptPosition?, subject: String? = nil, file: String? = nil, message: String,
    isRefusal: Bool = false
  ) {
    self.kind = kind
    self.position = position
    self.subject = subject
    self.file = file
    self.message = Self.shortened(message)
    self.isRefusal = isRefusal
  }

  /// Makes the message about a file that cannot be read.
  ///
  /// - Parameter consequence: a clause about the consequence for outputs; nil for none.
  package init(
    unreadable path: String, _ error: PictureError, as subject: String = "open", consequence: String? = nil,
    at position: ScriptPosition?
  ) {
    let message = [error.description, consequence].compactMap(\.self).joined(separator: "; ")
    self.init(.input, at: position, subject: subject, file: path, message: message)
    reason = error.reason
    if case .file(let error) = error, error.isAbsence, path.utf8.contains(where: "*?".utf8.contains) {
      advice = .usePattern
    }
  }

  /// The maximum number of bytes in each part of a line. Names in scripts and files may have any length, and thousands
  /// of mistakes may be kept until the script ends.
  private static let longestPart = 16 << 10

  private static func shortened(_ part: String) -> String {
    guard part.utf8.count > longestPart else { return part }
    return String(decoding: part.utf8.prefix(longestPart), as: UTF8.self) + "…"
  }

  /// The text without the position, for callers that print the position themselves.
  package var textWithoutPosition: String {
    var bare = Diagnostic(kind, at: nil, subject: subject, file: file, message: message)
    bare.keepsLines = keepsLines
    bare.advice = advice
    return bare.text
  }

  /// The message with its advice, worded for scripts.
  package var messageWithAdvice: String { advice.map { message + "; " + $0.inScript } ?? message }

  /// The whole text: one line, or several if `keepsLines`.
  package var text: String {
    var parts: [String] = []
    if let position { parts.append("\(position.file):\(position.line)") }
    if let subject { parts.append(subject) }
    if let file { parts.append(file) }
    // Each part stays on one line, even if names from files contain line ends.
    parts = parts.map { printable(Self.shortened($0)) }
    parts.append(
      printable(messageWithAdvice + (position?.origin.map { " (in \($0))" } ?? ""), keepingLines: keepsLines))
    return parts.joined(separator: ": ")
  }
}

/// Returns a text from outside the program, with visible characters in place of control characters and of bytes that
/// are not UTF-8, so that the text cannot control the terminal.
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

/// Returns whether a character can control a terminal: 7-bit and 8-bit control characters, and characters that change
/// the direction of text.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7f...0x9f, 0x202a...0x202e, 0x2066...0x2069: true
  default: false
  }
}

/// Returns text that a script has printed and that another program will print later, with all control characters
/// replaced except tabs and line ends.
package func printableLines(_ text: String) -> String {
  String(
    String.UnicodeScalarView(
      text.unicodeScalars.map { isControl($0) && $0 != "\n" && $0 != "\t" ? "\u{FFFD}" : $0 }))
}

// MARK: - Failure

/// An output that could not be made, with the clauses for its message.
package struct FailedOutput {
  /// The path of the output or of its source file.
  let path: String
  let picture: Picture
  let job: Job
  /// A clause about the consequence for the output.
  let consequence: String
  /// A clause about a remedy; nil for none. It is omitted for a plugin's failure if the run has other pictures that the
  /// failure does not affect.
  let wayOut: String?

  package init(path: String, picture: Picture, job: Job, consequence: String, wayOut: String? = nil) {
    self.path = path
    self.picture = picture
    self.job = job
    self.consequence = consequence
    self.wayOut = wayOut
  }
}

extension PictureError {
  /// Whether an output is refused to protect a user's file.
  package var isRefusal: Bool { if case .operation(.protected) = self { true } else { false } }
}

extension Diagnostic {
  /// Makes the message for a failed output; nil if the output was cancelled. The message is about the failed step and
  /// its source, or about the output if no step is known.
  package init?(_ error: PictureError, at node: PlanNode?, of output: FailedOutput, _ run: RunProgress) {
    if error == .cancelled { return nil }
    guard let node else {
      self.init(
        .output, at: output.job.position, subject: output.job.kind.rawValue, file: output.path,
        message: error.description, isRefusal: error.isRefusal)
      if case .operation = error { cause = error.description }
      return
    }
    var clauses = [error.description, output.consequence]
    var wayOut = output.wayOut
    if case .plugin(let failure) = error {
      if let others = run.others(than: output.picture, of: output.job, failingFrom: node.path) {
        if run.options.onError != .continue { clauses.append(Self.wayOn(others)) }
        wayOut = nil
      }
      if let command = Self.repetition(failure, of: node, run.environment.opening) { clauses.append(command) }
    }
    if let wayOut { clauses.append(wayOut) }
    self.init(
      .output, at: node.position ?? output.job.position, subject: node.name,
      file: node.path.isEmpty ? nil : node.path, message: clauses.joined(separator: "; "),
      isRefusal: error.isRefusal)
    advice = node.advice(after: error)
    if case .decode = node.step { reason = error.reason }
    // Failures of a plugin have no common cause, because each message contains the command that repeats its call.
    if case .plugin = error { return }
    cause = error.description
  }

  /// Returns the clause about the other pictures, which the failure does not affect.
  private static func wayOn(_ count: Int) -> String {
    "--on-error continue goes on with the other \(count == 1 ? "picture" : "\(count) pictures")"
  }

  /// Returns the command that repeats the call of a plugin; nil for a codec, or if one of the call's pictures does not
  /// come from a file.
  private static func repetition(_ failure: PluginFailure, of node: PlanNode, _ opening: OpeningSteps)
    -> String?
  {
    if case .decode = node.step { return nil }
    guard failure.inputs.allSatisfy(node.inputs.indices.contains) else { return nil }
    let inputs = failure.inputs.map { node.inputs[$0] }
    guard inputs.allSatisfy({ !$0.path.isEmpty }) else { return nil }
    let words =
      [failure.plugin] + failure.settings.flatMap { ["--set", $0] } + ["--"] + inputs.map(\.path)
      + ["repeated.png"]
    // If there are other steps between the files and the plugin, the command only approximates the call.
    let isExact = inputs.allSatisfy { ["open", opening.orientName].contains($0.name) }
    let how = isExact ? "to repeat" : "on the \(inputs.count == 1 ? "file itself" : "files themselves")"
    return "\(how): imghost plugin run " + words.map(shellWord).joined(separator: " ")
  }

  /// Returns a word in POSIX shell syntax, quoted unless it contains only letters, digits and a few safe characters.
  private static func shellWord(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
      byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
        || (0x61...0x7a).contains(byte) || "_-+./:,=@%".utf8.contains(byte)
    }
    return plain && !word.isEmpty
      ? word
      : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}

/// Diagnostics in the order of their arrival, without duplicates.
///
/// A script can make more mistakes than anyone reads, so only the first are kept, and the others are counted. Mistakes
/// about pictures are all kept, because there are no more of them than files.
struct DiagnosticLog {
  /// The maximum number of mistakes in the script that are kept.
  static let mostOfScript = 50

  private(set) var all: [Diagnostic] = []
  private var known: Set<Diagnostic> = []
  private var scriptCount = 0
  /// The number of mistakes in the script that were counted but not kept.
  private(set) var further = 0

  /// The hashes of mistakes that `add` has counted but not kept.
  private var furtherOnes: Set<Int> = []
  /// The number of repeated mistakes in the script.
  private var repeats = 0
  /// The number of repetitions after which the script is stopped.
  static let mostRepeats = 10_000
  /// The number of further mistakes after which the script is stopped.
  static let mostFurther = 1_000

  /// Whether the script must be stopped because of too many mistakes.
  var isExhausted: Bool { furtherOnes.count >= Self.mostFurther || repeats >= Self.mostRepeats }

  /// The number of mistakes in the script, including repetitions.
  var countOfScript: Int { scriptCount + further + repeats }

  /// Adds a diagnostic; returns false if it is a duplicate, or if it was only counted.
  @discardableResult
  mutating func add(_ diagnostic: Diagnostic) -> Bool {
    if diagnostic.kind == .script, scriptCount >= Self.mostOfScript, !known.contains(diagnostic) {
      if furtherOnes.insert(diagnostic.hashValue).inserted {
        further += 1
      } else {
        repeats += 1
      }
      return false
    }
    guard known.insert(diagnostic).inserted else {
      if diagnostic.kind == .script { repeats += 1 }
      return false
    }
    if diagnostic.kind == .script { scriptCount += 1 }
    all.append(diagnostic)
    return true
  }

  /// Counts mistakes in the script without keeping them.
  mutating func addFurther(_ count: Int) { further += count }

  /// Adds the diagnostics of another log.
  mutating func add(_ other: DiagnosticLog) {
    for diagnostic in other.all { add(diagnostic) }
    addFurther(other.further)
  }
}
