/// One mistake in the arguments of a call, as facts from which `text(in:home:)` makes a sentence.
public enum ArgumentError: Error, Sendable, Equatable {
  /// An unknown parameter; `near` contains the nearest valid names, for use if there are too many to list all.
  case unknown(name: String, suggestion: String?, valid: [String], near: [String] = [])
  case wrongType(name: String, expected: String, found: String)
  /// A string that contains a valid value: `400` for '400px'.
  case writtenAsText(name: String, value: String, meant: String)
  case outOfRange(name: String, value: String, range: String)
  /// A word that users may expect among the choices, but that the parameter does not accept; `reason` says why.
  case refusedChoice(name: String, value: String, reason: String, valid: [String])
  case notAChoice(name: String, value: String, suggestion: String?, valid: [String])
  case missing(name: String)
  /// A table of options before other arguments.
  case tableNotLast
  /// Too many arguments; `example` is an option to use instead, such as `quality = 80`, nil if there is none.
  case tooMany(allowed: Int, found: Int, example: String? = nil)
  case givenTwice(name: String)
  case notAColour(name: String, value: String)
  case wrongCount(name: String, expected: String, found: Int)
}

extension ArgumentError {
  /// The name of the parameter that the message is about; nil for a mistake in the whole call.
  public var parameter: String? {
    switch self {
    case .unknown(let name, _, _, _), .wrongType(let name, _, _), .outOfRange(let name, _, _),
      .refusedChoice(let name, _, _, _), .writtenAsText(let name, _, _), .notAChoice(let name, _, _, _),
      .missing(let name), .givenTwice(let name),
      .notAColour(let name, _), .wrongCount(let name, _, _):
      name
    case .tooMany, .tableNotLast: nil
    }
  }
}

extension ArgumentError {
  /// Returns the mistake in the number or the order of positional arguments; nil for none.
  static func ofPositions(_ values: [ParameterValue], _ parameters: [ParameterDescriptor], _ count: Int) -> Self? {
    let isSplit = values.enumerated().contains { index, value in
      guard case .fields = value else { return false }
      return index >= min(count, parameters.count) || (try? parameters[index].canonical(value)) == nil
    }
    if isSplit { return .tableNotLast }
    guard values.count > count else { return nil }
    return .tooMany(allowed: count, found: values.count, example: example(of: values[count], parameters))
  }

  /// Returns the option that a positional argument probably stands for, with the argument as its value, or else the
  /// first option; nil if there are no options.
  private static func example(of value: ParameterValue, _ parameters: [ParameterDescriptor]) -> String? {
    let meant = parameters.first { $0.kind.isNarrow && (try? $0.canonical(value)) != nil }
    return meant.map { "\($0.name) = \(value.text)" } ?? parameters.first.map { "\($0.name) = …" }
  }
}

extension ArgumentError: CustomStringConvertible {
  /// The maximum number of valid names that a message lists.
  static let listedNames = 12

  /// The names that users try as options for the path, which is a positional argument.
  static let pathNames: Set<String> = [
    "out", "output", "outfile", "path", "file", "filename", "dest", "destination", "to",
  ]

  public var description: String { text(in: nil) }

  private static func place(_ name: String, _ home: (String) -> String?) -> String {
    if pathNames.contains(name.lowercased()) { return "; the path is the first argument of save and img.book" }
    return home(name).map { ", which \($0) takes" } ?? ""
  }

  /// Returns the message for users, without the name of the operation.
  ///
  /// - Parameters:
  ///   - page: the operation whose help page lists all names; nil if there is no such page.
  ///   - home: returns the call that accepts an option with the given name; nil if there is none.
  public func text(in page: String?, home: (String) -> String? = { _ in nil }) -> String {
    switch self {
    case .unknown(let name, let suggestion, let valid, let near):
      "unknown option '\(name)'"
        + (suggestion == nil
          ? Self.place(name, home) : Self.hint(suggestion))
        + Self.names(valid, near.filter { $0 != suggestion }, page, isFirst: suggestion == nil)
    case .wrongType(let name, let expected, let found):
      "'\(name)' takes \(expected), not \(found)"
    case .writtenAsText(let name, let value, let meant):
      "'\(name)' is \(value == meant ? "the string " : "")'\(value)'; write \(meant)"
    case .outOfRange(let name, let value, let range): "'\(name)' is \(value); it takes \(range)"
    case .notAChoice(let name, let value, let suggestion, let valid):
      "'\(name)' cannot be '\(value)'" + Self.hint(suggestion) + "; valid: " + valid.joined(separator: ", ")
    case .refusedChoice(let name, let value, let reason, let valid):
      "'\(name)' cannot be '\(value)': \(reason); valid: " + valid.joined(separator: ", ")
    case .missing(let name): "'\(name)' is missing"
    case .tableNotLast: "takes one table of options, as its last argument"
    case .tooMany(0, let found, nil): "takes no arguments, but \(Self.given(found))"
    case .tooMany(let allowed, let found, let example):
      allowed == 0
        ? "takes options in a table, not by position: { \(example ?? "option = …") }"
        : "takes at most \(allowed) argument\(allowed == 1 ? "" : "s") by position, " + "but \(Self.given(found))"
    case .givenTwice(let name): "'\(name)' is given twice"
    case .notAColour(let name, let value):
      "'\(name)' is not a colour: \(value); use '#rrggbb', '#rrggbbaa', a CSS name, or { r, g, b }"
    case .wrongCount(let name, let expected, let found):
      "'\(name)' takes \(expected), not \(found)"
    }
  }

  /// Returns the valid names if there are few, or if there is no help page; otherwise the nearest ones, and the page
  /// that lists all.
  private static func names(_ valid: [String], _ near: [String], _ page: String?, isFirst: Bool) -> String {
    if valid.isEmpty { return "; it takes none" }
    guard valid.count > listedNames, let page else { return "; valid: " + valid.joined(separator: ", ") }
    let label = isFirst ? "; nearest: " : "; also near: "
    return (near.isEmpty ? "" : label + near.joined(separator: ", ")) + "; see 'imghost ops \(page)'"
  }

  private static func given(_ count: Int) -> String { "\(count) \(count == 1 ? "was" : "were") given" }

  private static func hint(_ suggestion: String?) -> String {
    suggestion.map { " (did you mean '\($0)'?)" } ?? ""
  }
}

/// The mistakes in one call's arguments.
public struct ArgumentErrors: Error, Sendable, Equatable {
  /// The maximum number of mistakes that are reported for one call.
  public static let most = 50

  /// The first mistakes, at most `most`.
  public let errors: [ArgumentError]
  /// The number of mistakes beyond those in `errors`.
  public let further: Int
}
