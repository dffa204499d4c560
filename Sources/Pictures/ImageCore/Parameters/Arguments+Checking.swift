/// Unchecked arguments from a script.
public struct RawArguments: Sendable, Hashable {
  public var positional: [ParameterValue]
  /// Named arguments, sorted by name so that messages have the same order on every run.
  public var named: [(name: String, value: ParameterValue)]

  public init(positional: [ParameterValue] = [], named: [(name: String, value: ParameterValue)] = []) {
    self.positional = positional
    self.named = named
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.positional == right.positional && left.named.elementsEqual(right.named, by: ==)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(positional)
    for (name, value) in named {
      hasher.combine(name)
      hasher.combine(value)
    }
  }
}

/// Collects the mistakes of a call: keeps the first `ArgumentErrors.most`, and counts the further ones.
private struct ErrorCollection {
  private(set) var errors: [ArgumentError] = []
  private(set) var further = 0

  var isFull: Bool { errors.count >= ArgumentErrors.most }

  mutating func append(_ error: @autoclosure () -> ArgumentError) {
    if isFull { further += 1 } else { errors.append(error()) }
  }
}

extension Arguments {
  /// Checks raw arguments against their declaration and adds the defaults.
  public init(_ raw: RawArguments, parameters: [ParameterDescriptor], positionalCount: Int) throws(ArgumentErrors) {
    var errors = ErrorCollection()
    var values: [String: ParameterValue] = [:]
    var given: [(name: String, value: ParameterValue)] = []
    // Parameters that a misspelt name probably refers to. They are not also reported as missing.
    var meant: Set<String> = []

    var positional = zip(parameters.prefix(positionalCount), raw.positional)
      .filter { !$1.isAbsent }.map { (name: $0.name, value: $1) }
    if let error = ArgumentError.ofPositions(raw.positional, parameters, positionalCount) {
      errors.append(error)
      if error == .tableNotLast { positional = [] }
    }
    for (name, value) in [positional, raw.named].joined() {
      guard let parameter = parameters.first(where: { $0.isNamed(name) }) else {
        errors.append(Self.unknown(name, parameters, &meant))
        continue
      }
      let name = parameter.name
      guard values[name] == nil else {
        errors.append(.givenTwice(name: parameter.alias.map { "\(name)' or '\($0)" } ?? name))
        continue
      }
      do throws(ArgumentError) {
        let checked = try parameter.check(value)
        values[name] = checked
        given.append((name, checked))
      } catch {
        errors.append(error)
        values[name] = value
      }
    }
    for parameter in parameters where values[parameter.name] == nil {
      if let value = parameter.defaultValue {
        values[parameter.name] = value
      } else if parameter.isRequired && !meant.contains(parameter.name) {
        errors.append(.missing(name: parameter.name))
      }
    }
    guard errors.errors.isEmpty else { throw ArgumentErrors(errors: errors.errors, further: errors.further) }
    self.init(values: values, given: given)
  }

  private static func unknown(
    _ name: String, _ parameters: [ParameterDescriptor], _ meant: inout Set<String>
  ) -> ArgumentError {
    let names = parameters.map(\.name)
    let synonym = parameters.first { $0.synonyms.contains(name.lowercased()) }?.name
    if synonym == nil, ArgumentError.pathNames.contains(name.lowercased()) {
      return .unknown(name: name, suggestion: nil, valid: names)
    }
    let suggestion = synonym ?? Suggestion.nearest(to: name, in: names)
    if let suggestion { meant.insert(suggestion) }
    let count = 3
    let near =
      names.count <= ArgumentError.listedNames
      ? []
      : ([suggestion].compactMap { $0 }
        + Suggestion.ranked(name, in: names, count: count).filter { $0 != suggestion })
        .prefix(count)
    return .unknown(name: name, suggestion: suggestion, valid: names, near: Array(near))
  }

  /// Checks raw arguments against an operation's declaration.
  public init(_ raw: RawArguments, for descriptor: OperationDescriptor) throws(ArgumentErrors) {
    try self.init(raw, parameters: descriptor.parameters, positionalCount: descriptor.positionalCount)
  }
}

extension ParameterDescriptor {
  /// Checks a value, and returns it in the canonical form of the parameter's kind. For example, a colour is parsed,
  /// rows of numbers are joined, and for an integer, 2.0 becomes 2.
  func canonical(_ value: ParameterValue) throws(ArgumentError) -> ParameterValue {
    switch kind {
    case .integer(let range): return .integer(try integer(value, range))
    case .side(let range):
      if case .text(let text) = value, PictureSide(text) != nil { return .text(percentage(text)) }
      return .integer(try integer(value, range))
    case .booleanOrInteger(let range):
      if case .boolean = value { return value }
      return .integer(try integer(value, range))
    case .number(let range): return .number(try number(value, range))
    case .numberOrShare(let range): return try numberOrShare(value, range)
    case .choice(let names): return .text(try choice(value, names))
    case .choiceOrList(let names, let name, let items): return try choiceOrList(value, names, name, items)
    case .colour:
      if case .text(let word) = value, words.contains(word) { return value }
      return .colour(try colour(value))
    case .numbers(let counts): return .list(try numbers(value, counts))
    case .lengths(let counts): return .text(try lengths(value, counts))
    case .byteCount: return .integer(try byteCount(value))
    case .texts: return try texts(value)
    case .fields: return try fields(value)
    case .data:
      var left = Self.mostDataBytes
      return try data(value, name, depth: 0, &left)
    case .textList: return try textList(value)
    case .boolean: if case .boolean = value { return value }
    case .text: if case .text = value { return value }
    case .picture: if case .picture = value { return value }
    case .jobs:
      if case .jobs = value { return value }
      // An empty list of jobs looks like any other empty list.
      if case .list([]) = value { return .jobs([]) }
    }
    throw wrongType(value)
  }

  private func integer(_ value: ParameterValue, _ range: ClosedRange<Int>) throws(ArgumentError) -> Int {
    let whole: Int
    switch value {
    case .integer(let number): whole = number
    case .number(let number) where number.rounded() == number && number.magnitude < 1e15:
      whole = Int(number)
    case .number: throw .wrongType(name: name, expected: kind.phrase, found: value.text)
    default: throw wrongType(value)
    }
    guard range.contains(whole) else { throw outOfRange(value) }
    return whole
  }

  private func number(_ value: ParameterValue, _ range: ClosedRange<Double>) throws(ArgumentError) -> Double {
    let number: Double
    switch value {
    case .integer(let whole): number = Double(whole)
    case .number(let given): number = given
    default: throw wrongType(value)
    }
    guard number.isFinite, range.contains(number) else { throw outOfRange(value) }
    return number
  }

  private func numberOrShare(_ value: ParameterValue, _ range: ClosedRange<Double>) throws(ArgumentError)
    -> ParameterValue
  {
    guard case .text(let text) = value else { return .number(try number(value, range)) }
    guard PictureShare(text) != nil else { throw outOfRange(value) }
    return .text(percentage(text))
  }

  /// Returns a percentage in its canonical form: `50%` for `50.0%`.
  private func percentage(_ text: String) -> String {
    Double(text.dropLast()).map { ParameterValue.text($0) + "%" } ?? text
  }

  private func choice(_ value: ParameterValue, _ names: [String]) throws(ArgumentError) -> String {
    let text: String
    switch value {
    case .text(let given): text = given
    // A choice may be given as a number.
    case .integer(let number) where names.contains { Int($0) != nil }: text = "\(number)"
    default: throw wrongType(value)
    }
    if names.contains(text) { return text }
    if let reason = refusals[text] {
      throw .refusedChoice(name: name, value: text, reason: reason, valid: names)
    }
    throw .notAChoice(name: name, value: text, suggestion: Suggestion.choice(for: text, in: names), valid: names)
  }

  private func choiceOrList(_ value: ParameterValue, _ names: [String], _ key: String, _ items: [String])
    throws(ArgumentError) -> ParameterValue
  {
    guard case .fields(let fields) = value else { return .text(try choice(value, names)) }
    guard fields.count == 1, case .list(let list)? = fields[key], !list.isEmpty else { throw wrongType(value) }
    var given: Set<String> = []
    for item in list {
      guard case .text(let text) = item else { throw wrongType(item) }
      guard items.contains(text) else {
        throw .notAChoice(
          name: "\(name).\(key)", value: text, suggestion: Suggestion.choice(for: text, in: items), valid: items)
      }
      given.insert(text)
    }
    return .list(items.filter(given.contains).map { .text($0) })
  }

  private func colour(_ value: ParameterValue) throws(ArgumentError) -> Colour {
    switch value {
    case .colour, .text, .list:
      guard let colour = Colour(value) else { throw .notAColour(name: name, value: value.text) }
      return colour
    default: throw wrongType(value)
    }
  }

  private func numbers(_ value: ParameterValue, _ counts: ClosedRange<Int>) throws(ArgumentError) -> [ParameterValue] {
    let items: [ParameterValue]
    switch value {
    case .list(let list): items = list
    case .integer,
      .number where counts.contains(1):
      items = [value]
    default: throw wrongType(value)
    }
    let joined = items.flatMap { item in
      if case .list(let row) = item { row } else { [item] }
    }
    guard joined.allSatisfy(\.isFiniteNumber) else {
      throw .wrongType(name: name, expected: kind.phrase, found: value.text)
    }
    guard counts.contains(joined.count) else {
      throw .wrongCount(name: name, expected: kind.phrase, found: joined.count)
    }
    return joined
  }

  private func texts(_ value: ParameterValue) throws(ArgumentError) -> ParameterValue {
    guard case .list(let items) = value, !items.isEmpty else { return try fields(value) }
    for (index, item) in items.enumerated() {
      guard case .text = item else {
        throw .wrongType(name: "\(name)[\(index + 1)]", expected: "text", found: item.typeName)
      }
    }
    return value
  }

  private func textList(_ value: ParameterValue) throws(ArgumentError) -> ParameterValue {
    switch value {
    case .text: return .list([value])
    case .list([]): return value
    case .list: return try texts(value)
    default: throw wrongType(value)
    }
  }

  private func fields(_ value: ParameterValue) throws(ArgumentError) -> ParameterValue {
    // Lua cannot distinguish an empty table from an empty list.
    if case .list([]) = value { return .fields([:]) }
    guard case .fields(let fields) = value else { throw wrongType(value) }
    for (key, field) in fields.sorted(by: { $0.key < $1.key }) {
      switch field {
      case .text, .boolean, .integer, .number: break
      default:
        throw .wrongType(name: "\(name).\(key)", expected: "text, a number, true or false", found: field.typeName)
      }
    }
    return value
  }

  /// The maximum depth of nested tables, and the maximum size of their names and values in bytes. A number or a boolean
  /// counts as 8, a table as 2.
  private static var mostDataDepth: Int { 16 }
  private static var mostDataBytes: Int { 1 << 16 }

  /// Checks a value that must be representable as JSON.
  ///
  /// - Parameters:
  ///   - place: the value's name in messages.
  ///   - left: the number of bytes that are still allowed.
  private func data(_ value: ParameterValue, _ place: String, depth: Int, _ left: inout Int) throws(ArgumentError)
    -> ParameterValue
  {
    guard depth <= Self.mostDataDepth else {
      throw .wrongType(
        name: place, expected: "at most \(Self.mostDataDepth) tables inside one another", found: "another one")
    }
    switch value {
    case .text(let text): left -= text.utf8.count
    case .number(let number) where !number.isFinite:
      throw .wrongType(name: place, expected: "numbers that JSON has", found: ParameterValue.text(number))
    case .boolean, .integer, .number: left -= 8
    case .list(let items):
      left -= 2
      for (index, item) in items.enumerated() {
        _ = try data(item, "\(place)[\(index + 1)]", depth: depth + 1, &left)
      }
    case .fields(let fields):
      left -= 2
      for (key, field) in fields.sorted(by: { $0.key < $1.key }) {
        left -= key.utf8.count
        _ = try data(field, "\(place).\(key)", depth: depth + 1, &left)
      }
    case .picture, .jobs, .colour, .other:
      throw .wrongType(
        name: place, expected: "a text, a number, true or false, or a table of these", found: value.typeName)
    }
    guard left >= 0 else {
      throw .wrongType(name: name, expected: "at most \(Self.mostDataBytes >> 10) KiB", found: "more")
    }
    return value
  }

  /// Returns lengths as a text: numbers get the unit `pt`, items of a list are separated by spaces, and a text is
  /// returned unchanged.
  private func lengths(_ value: ParameterValue, _ counts: ClosedRange<Int>) throws(ArgumentError) -> String {
    switch value {
    case .text(let text): return text
    case .integer(let number) where number >= 0: return "\(number)pt"
    case .number(let number) where number.isFinite && number >= 0 && number < 1e12:
      // Smaller numbers would be formatted with an exponent, which lengths do not support.
      return number < 0.0001 ? "0pt" : "\(number)pt"
    case .integer, .number:
      throw .outOfRange(name: name, value: value.text, range: kind.phrase + ", none below 0")
    case .list(let items):
      guard counts.contains(items.count) else {
        throw .wrongCount(name: name, expected: kind.phrase, found: items.count)
      }
      var words: [String] = []
      for item in items {
        if case .list = item { throw wrongType(item) }
        words.append(try lengths(item, counts))
      }
      return words.joined(separator: " ")
    default: throw wrongType(value)
    }
  }

  private func byteCount(_ value: ParameterValue) throws(ArgumentError) -> Int {
    let count: Int?
    switch value {
    case .integer(let number): count = ByteCount.exactly(Double(number))
    case .number(let number): count = ByteCount.exactly(number)
    case .text(let text): count = ByteCount.parse(text, kilo: 1_000)
    default: throw wrongType(value)
    }
    guard let count else { throw outOfRange(value) }
    return count
  }

  private func wrongType(_ value: ParameterValue) -> ArgumentError {
    .wrongType(name: name, expected: kind.phrase + example(for: value), found: value.typeName)
  }

  /// Returns the example from the help if a boolean was given for a text; otherwise an empty text.
  private func example(for value: ParameterValue) -> String {
    guard case .text = kind, case .boolean = value, let start = help.firstRange(of: "such as '")
    else { return "" }
    return " " + help[start.lowerBound...].prefix { !",;".contains($0) }
  }

  private func outOfRange(_ value: ParameterValue) -> ArgumentError {
    .outOfRange(name: name, value: value.text, range: kind.phrase)
  }
}

extension ParameterValue {
  /// The value of an argument that was omitted before others: Lua's `nil`.
  public static let absent = ParameterValue.other("nil")

  fileprivate var isAbsent: Bool { self == .absent }

  fileprivate var isFiniteNumber: Bool {
    switch self {
    case .integer: true
    case .number(let value): value.isFinite
    default: false
    }
  }
}
