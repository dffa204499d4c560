/// The type and range of a parameter.
public enum ParameterKind: Sendable, Hashable {
  case boolean
  /// True or false, or an integer in the range, which also means true.
  case booleanOrInteger(ClosedRange<Int>)
  case integer(ClosedRange<Int>)
  /// An integer number of pixels in the range, or a percentage of the same side of the picture, such as `"50%"`.
  /// Becomes an integer or a text, see `Arguments.side(_:)`.
  case side(ClosedRange<Int>)
  case number(ClosedRange<Double>)
  /// A number of pixels in the range, or a share of a picture's shorter side, such as `"5%"`. Becomes a number or a
  /// text, see `Arguments.share(_:)`.
  case numberOrShare(ClosedRange<Double>)
  case choice([String])
  /// One of several words, or a table with one name and a list of other words: `{ keep = { "date" } }`. Becomes a text
  /// or a list of texts.
  case choiceOrList([String], named: String, of: [String])
  case text
  /// `"#rrggbb"`, `"#rrggbbaa"`, a CSS colour name, or `{ r, g, b [, a] }` with components from 0 to 255.
  case colour
  /// A list of numbers, or of rows of numbers, which are joined. The range limits the total count. If it includes 1, a
  /// plain number is also accepted.
  case numbers(ClosedRange<Int>)
  /// Lengths, as many as the range allows: a number of points, a text with units such as `"10mm"` or `"5mm 10mm"`, or a
  /// list of both. Becomes a text; the code that reads it checks its words.
  case lengths(ClosedRange<Int>)
  /// A number of bytes, or a text such as `"80k"`: see `ByteCount`. Becomes an integer.
  case byteCount
  /// A table from names to texts, numbers or booleans.
  case fields
  /// Texts, numbers, booleans, and tables of these, as in JSON.
  case data
  /// A list of texts, or a table as in `fields`.
  case texts
  /// A text, or a list of texts. Becomes a list.
  case textList
  /// Another picture.
  case picture
  /// A job, a group of jobs, or a list of them.
  case jobs
}

/// The declaration of one parameter of an operation, a codec, a plugin or a command.
public struct ParameterDescriptor: Sendable, Hashable {
  public let name: String
  public let kind: ParameterKind
  /// The value of the parameter if it is not given; nil if there is none.
  public private(set) var defaultValue: ParameterValue?
  public let isRequired: Bool
  /// The unit, such as `"px"`, `"degrees"` or `"%"`; empty for none.
  public let unit: String
  /// The distance between the values of a slider; nil for the slider's default. Other values are valid, too.
  public let step: Double?
  /// The label of the parameter's control, and the heading above a group of controls; empty for none.
  public let label: String
  public let group: String
  /// A one-line description, without a full stop.
  public private(set) var help: String
  /// Words that users may expect among the choices, each with the reason why it is not one.
  public private(set) var refusals: [String: String] = [:]
  /// Words that are allowed instead of a colour. They become texts.
  public private(set) var words: [String] = []
  /// The choices that are not canonical, each with the canonical choice that means the same.
  private(set) var equals: [String: String] = [:]
  /// The words that a parameter takes instead of the path of a file; nil if the parameter names no file.
  private var wordsForFile: Set<String>?
  /// Names that other programs use for the parameter. They are not accepted, but the error suggests this parameter.
  public let synonyms: [String]
  /// Another name that is accepted; nil for none.
  public let alias: String?

  public init(
    _ name: String, _ kind: ParameterKind, default defaultValue: ParameterValue? = nil, required: Bool = false,
    unit: String = "", step: Double? = nil, label: String = "", group: String = "", help: String,
    synonyms: [String] = [], alias: String? = nil
  ) {
    self.alias = alias
    self.step = step
    self.label = label
    self.group = group
    self.synonyms = synonyms
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
    self.isRequired = required
    self.unit = unit
    self.help = help
  }

  /// Returns whether a caller refers to the parameter by this name.
  package func isNamed(_ name: String) -> Bool { self.name == name || alias == name }

  /// Returns the same parameter with reasons why some words are not among its choices.
  public func refusing(_ refusals: [String: String]) -> ParameterDescriptor { changed { $0.refusals = refusals } }

  /// Returns the same parameter with words that are allowed instead of a colour.
  public func accepting(_ words: [String]) -> ParameterDescriptor { changed { $0.words = words } }

  /// Returns the same parameter with choices that are not canonical, each with the canonical choice that means the
  /// same.
  package func treating(_ equals: [String: String]) -> ParameterDescriptor { changed { $0.equals = equals } }

  /// Returns the same parameter, marked as the name of a file on whose bytes the result depends.
  ///
  /// - Parameter words: the words that are not names of files.
  package func namingFile(unless words: [String]) -> ParameterDescriptor { changed { $0.wordsForFile = Set(words) } }

  /// Returns whether a text names a file.
  package func isFile(_ text: String) -> Bool { wordsForFile.map { !$0.contains(text) } ?? false }

  /// Returns the same parameter with another default.
  package func with(default value: ParameterValue) -> ParameterDescriptor { changed { $0.defaultValue = value } }

  /// Returns the same parameter with another help text.
  public func with(help: String) -> ParameterDescriptor { changed { $0.help = help } }

  private func changed(_ change: (inout ParameterDescriptor) -> Void) -> ParameterDescriptor {
    var result = self
    change(&result)
    return result
  }
}

extension ParameterKind {
  /// The type and range for help pages, such as `number from 0 to 100` or `one of cover, contain`.
  public var summary: String {
    switch self {
    case .boolean: "true or false"
    case .booleanOrInteger(let range): "true, false or a whole number\(Self.text(range))"
    case .integer(let range): "whole number\(Self.text(range))"
    case .side(let range): "whole number\(Self.text(range)), or a percentage such as '50%'"
    case .number(let range): "number\(Self.text(range))"
    case .numberOrShare(let range): "number\(Self.text(range)), or a share of the shorter side such as '5%'"
    case .choice(let names): "one of " + names.joined(separator: ", ")
    case .choiceOrList(let names, let name, let items):
      "one of \(names.joined(separator: ", ")), or { \(name) = { … } } with some of \(items.joined(separator: ", "))"
    case .text: "text"
    case .colour: "colour"
    case .numbers(let counts):
      (counts.contains(1) ? "number or " : "") + Self.listText(counts)
    case .lengths(let counts):
      counts.upperBound == 1
        ? "length such as 10 (points) or '5mm'"
        : "one \(counts.upperBound == 2 ? "or two" : "to four") lengths such as 10 (points) or '5mm 10mm'"
    case .byteCount: "size such as 81920 (bytes), '80k' or '1.5M'"
    case .fields: "table of names and texts"
    case .data: "text, number, true or false, or table of these"
    case .texts: "list of texts, or table of names and texts"
    case .textList: "text or list of texts"
    case .picture: "picture"
    case .jobs: "job or list of jobs"
    }
  }

  /// Whether so few values are valid that an unnamed value suggests which parameter it is meant for.
  package var isNarrow: Bool {
    switch self {
    case .integer, .side, .number, .numberOrShare, .choice, .choiceOrList, .colour: true
    default: false
    }
  }

  /// The summary as the object of a sentence, as in `takes a number from 0 to 100`.
  package var phrase: String {
    switch self {
    case .boolean, .booleanOrInteger, .choice, .choiceOrList, .text: summary
    case .lengths(let counts) where counts.upperBound > 1: summary
    case .integer, .side, .number, .numberOrShare, .colour, .numbers, .lengths, .byteCount, .fields, .data, .texts,
      .textList, .picture, .jobs:
      "a " + summary
    }
  }

  private static func listText(_ counts: ClosedRange<Int>) -> String {
    counts.lowerBound == counts.upperBound
      ? "list of \(counts.lowerBound) numbers"
      : "list of \(counts.lowerBound) to \(counts.upperBound) numbers"
  }

  private static func text(_ range: ClosedRange<Int>) -> String {
    text(
      range.lowerBound == .min ? nil : String(range.lowerBound),
      range.upperBound == .max ? nil : String(range.upperBound))
  }

  private static func text(_ range: ClosedRange<Double>) -> String {
    text(
      range.lowerBound == -.infinity ? nil : ParameterValue.text(range.lowerBound),
      range.upperBound == .infinity ? nil : ParameterValue.text(range.upperBound))
  }

  /// Returns the end of "a whole number …" for a range; nil means no limit.
  private static func text(_ low: String?, _ high: String?) -> String {
    switch (low, high) {
    case (let low?, let high?): " from \(low) to \(high)"
    case (let low?, nil): " of at least \(low)"
    case (nil, let high?): " of at most \(high)"
    case (nil, nil): ""
    }
  }
}

// MARK: - Words

/// Values that are given as words, as on a command line.
extension ParameterDescriptor {
  /// Returns a value in its canonical form, so that values with the same meaning compare as equal: `"white"` and
  /// `"#fff"` are one colour, 2 and 2.0 one number, and `"1cm"` and `"10mm"` one length. A value that is invalid is
  /// returned as it is.
  package func normalised(_ value: ParameterValue) -> ParameterValue {
    guard let canonical = try? canonical(value) else { return value }
    guard case .text(let text) = canonical else { return canonical }
    if let other = equals[text] { return .text(other) }
    if case .lengths = kind { return .text(LengthWords.canonical(text)) }
    return canonical
  }

  /// Whether a checked value may have other forms with the same meaning.
  package var hasForms: Bool {
    if case .lengths = kind { true } else { !equals.isEmpty }
  }

  /// The default in its canonical form; nil if there is none.
  package var normalisedDefault: ParameterValue? { defaultValue.map(normalised) }

  /// Checks one value, and returns it in its canonical form. The error for a string of the wrong type shows the string.
  func check(_ value: ParameterValue) throws(ArgumentError) -> ParameterValue {
    do throws(ArgumentError) {
      return try canonical(value)
    } catch {
      guard case .text(let word) = value else { throw error }
      if let meant = meaning(of: word) { throw .writtenAsText(name: name, value: word, meant: meant.text) }
      guard case .wrongType(let name, let expected, value.typeName) = error else { throw error }
      throw .wrongType(name: name, expected: expected, found: value.text)
    }
  }

  /// Returns the value that a string stands for, such as 400 for `400` and `400px`; nil if there is none that the
  /// parameter takes.
  private func meaning(of word: String) -> ParameterValue? {
    let bare = word.lowercased().hasSuffix("px") ? String(word.dropLast(2).filter { $0 != " " }) : word
    let value = kind.read(bare)
    if case .text = value { return nil }
    return try? canonical(value)
  }

  /// Reads a word, such as `200`, `true`, `#ff0000` or `0.5,0.5`, and checks it like the argument of a call.
  public func value(ofWord word: String) throws(ArgumentError) -> ParameterValue {
    do throws(ArgumentError) {
      return try check(kind.read(word))
    } catch .wrongType(let name, let expected, _) {
      // On a command line, every value is a string, so the message shows the word and not its type.
      throw .wrongType(name: name, expected: expected, found: "'\(word)'")
    }
  }
}

extension ParameterKind {
  /// Returns the value of a word; if the word has no value of this kind, returns it as a text.
  fileprivate func read(_ word: String) -> ParameterValue {
    switch self {
    case .boolean: Self.boolean(word) ?? .text(word)
    case .booleanOrInteger: Self.boolean(word) ?? Self.number(word) ?? .text(word)
    case .integer, .side, .number, .numberOrShare, .lengths, .byteCount: Self.number(word) ?? .text(word)
    case .numbers: Self.numbers(word) ?? .text(word)
    case .choice, .choiceOrList, .text, .colour, .fields, .data, .texts, .textList, .picture, .jobs: .text(word)
    }
  }

  private static func boolean(_ word: String) -> ParameterValue? {
    switch word {
    case "true": .boolean(true)
    case "false": .boolean(false)
    default: nil
    }
  }

  /// Reads a decimal number. Swift would also accept `0x1p3`, `inf` and `nan`.
  private static func number(_ word: String) -> ParameterValue? {
    guard word.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    return Int(word).map { .integer($0) } ?? Double(word).map { .number($0) }
  }

  private static func numbers(_ word: String) -> ParameterValue? {
    let parts = word.split(separator: ",", omittingEmptySubsequences: false).map { number(String($0)) }
    return parts.contains(nil) ? nil : .list(parts.compactMap { $0 })
  }
}
