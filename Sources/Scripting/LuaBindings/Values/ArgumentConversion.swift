import ImageCore
import ImagePipeline
import LuaRuntime

/// Converts Lua arguments to the raw arguments of an operation, and collects the pictures among them.
struct ArgumentConversion {
  /// All pictures of the session by handle.
  let pictures: [Picture]
  /// Pictures found among the arguments, in the order of their indices from 1.
  private(set) var found: [Picture] = []

  init(pictures: [Picture]) { self.pictures = pictures }

  /// Converts the arguments of a call. Plain values are positional. In a table with names that comes last, the items
  /// with names are options, and the others are positional: `resize(400, 300)`, `resize{ width = 400 }`,
  /// `resize{ 400, 300, fit = "cover" }`. A table without names is a list, as in `convolve{ 1, 2, 1 }`. But if it is
  /// the only argument, and the first parameter takes no list, its items are positional, as in `resize{ 400, 300 }`.
  ///
  /// - Parameter groups: options whose value may be a table of several options: `caption = { text = "a", size = 9 }` is
  ///   `caption = "a", caption_size = 9`.
  mutating func raw(
    _ arguments: some Sequence<LuaValue>, for parameters: [ParameterDescriptor] = [], groups: [String] = []
  ) -> RawArguments {
    // In Lua, a missing argument and nil at the end are the same.
    var arguments = Array(arguments)
    while arguments.last == .some(.none) { arguments.removeLast() }
    let isOnly = arguments.count == 1 && !(parameters.first?.kind.takesList ?? true)
    var result = RawArguments()
    for (index, argument) in arguments.enumerated() {
      if case .table(let table) = argument, index == arguments.count - 1,
        isOnly || !table.fields.isEmpty || table.array.isEmpty
      {
        for item in table.array { result.positional.append(value(item)) }
        for (name, item) in table.fields {
          if groups.contains(name), case .table(let group) = item, group.array.isEmpty {
            for (part, item) in group.fields {
              result.named.append((part == "text" ? name : "\(name)_\(part)", value(item)))
            }
          } else {
            result.named.append((name, value(item)))
          }
        }
      } else {
        result.positional.append(value(argument))
      }
    }
    return result
  }

  private mutating func value(_ lua: LuaValue) -> ParameterValue {
    switch lua {
    case .none: .absent
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .number(let value): .number(value)
    case .string(let text): .text(text)
    case .notUTF8: .other(lua.kindName)
    case .table(let table):
      if let jobs = Self.jobs(lua), !(jobs.isEmpty && table.fields.isEmpty) {
        .jobs(jobs)
      } else {
        table.fields.isEmpty
          ? .list(table.array.map { self.value($0) })
          : table.array.isEmpty
            ? .fields(Dictionary(table.fields.map { ($0.0, self.value($0.1)) }, uniquingKeysWith: { $1 }))
            : .other("a table with names")
      }
    case .object(let object) where object.type == "picture": picture(pictures[object.handle])
    case .object(let object) where object.type == "job": .jobs([object.handle])
    case .object(let object): .other("a \(object.type)")
    case .function: .other("a function")
    case .unrepresentable(let name): .other("a \(name)")
    }
  }

  /// Returns the handles of a job, of a group made by the prelude, or of a list of both; nil for any other value.
  static func jobs(_ lua: LuaValue) -> [Int]? {
    switch lua {
    case .object(let object) where object.type == "job": return [object.handle]
    case .table(let table) where table.fields.map(\.0) == ["jobs"]: return jobs(table["jobs"])
    case .table(let table) where table.fields.isEmpty:
      var all: [Int] = []
      for item in table.array {
        guard let some = jobs(item) else { return nil }
        all += some
      }
      return all
    default: return nil
    }
  }

  private mutating func picture(_ picture: Picture) -> ParameterValue {
    found.append(picture)
    return .picture(found.count)
  }
}

extension ParameterKind {
  fileprivate var takesList: Bool {
    switch self {
    case .numbers, .colour, .lengths: true
    default: false
    }
  }
}

extension LuaValue {
  /// The kind of value for messages: `a number`, `picture`, `job`.
  var kindName: String {
    switch self {
    case .none: "nil"
    case .boolean: "a boolean"
    case .integer, .number: "a number"
    case .string: "a string"
    case .notUTF8: "a string that is not UTF-8"
    case .table: "a table"
    case .object(let object): object.type
    case .function: "a function"
    case .unrepresentable(let name): "a \(name)"
    }
  }

  /// The value of an integer or a float; nil for any other value.
  var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  init(_ value: ParameterValue) {
    switch value {
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .number(let value): self = .number(value)
    case .text(let text): self = .string(text)
    case .list(let items): self = .table(LuaTable(array: items.map { LuaValue($0) }))
    case .fields(let fields):
      let sorted = fields.sorted { $0.key < $1.key }
      self = .table(LuaTable(fields: sorted.map { ($0.key, LuaValue($0.value)) }))
    case .picture, .jobs, .colour, .other: self = .string(value.text)
    }
  }

  init(_ value: MetadataValue) {
    switch value {
    case .text(let text): self = .string(text)
    case .integer(let value): self = .integer(value)
    case .number(let value): self = .number(value)
    case .numbers(let values): self = .table(LuaTable(array: values.map { .number($0) }))
    case .texts(let texts): self = .table(LuaTable(array: texts.map { .string($0) }))
    }
  }
}

extension ScriptPosition {
  init?(_ line: ScriptLine?) {
    guard let line else { return nil }
    self.init(file: line.file, line: line.line)
  }
}
