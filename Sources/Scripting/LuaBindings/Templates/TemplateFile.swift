import BookDesign
import LuaRuntime
import Platform

/// Reads files of templates. Each is a Lua script that returns a table of numbers and texts.
package enum TemplateFile {
  /// Runs a file in a sandbox of its own and returns its value as plain data.
  ///
  /// The file can use Lua's libraries as scripts do, but neither the module `imghost` nor other files.
  ///
  /// - Parameter onOverrun: called on another thread if the file never ends; the process must then end.
  package static func value(of source: [UInt8], onOverrun: @escaping @Sendable (String) -> Void)
    throws(TemplateFileProblem) -> TemplateValue
  {
    let lua = LuaState(limits: limits, onOverrun: onOverrun)
    var result = LuaValue.none
    lua.register("deliver") { (arguments, _) in
      result = arguments.first ?? .none
      return []
    }
    lua.moduleLoader = { $0 == "\(module).lua" ? source : nil }
    do throws(LuaError) {
      try lua.loadPrelude("deliver = { value = host.deliver }", name: "templates")
      lua.addModule("deliver", fromPreludeGlobal: "deliver")
      try lua.run(
        source: Array("require(\"deliver\").value((require \"\(module)\"))".utf8), name: "", arguments: [])
    } catch {
      throw TemplateFileProblem(error)
    }
    return TemplateValue(result)
  }

  /// The name by which the sandbox knows the file.
  private static let module = "templates"
  /// The limits are low because templates are data: a file that needs more time or memory has a mistake.
  private static let limits = LuaLimits(memoryBytes: 32 << 20, seconds: 2)
}

extension TemplateFileProblem {
  fileprivate init(_ error: LuaError) {
    let place = error.line.flatMap { $0.file.hasSuffix(Self.file) ? $0.line : nil }
    switch error {
    case .syntax(let message, _), .runtime(let message, _): self = Self.parsed(message, place)
    case .memory: self.init(line: place, reason: "it takes more than 32 MB of memory")
    case .time: self.init(line: place, reason: "it takes more than 2 seconds")
    case .aborted: self.init(line: nil, reason: "it was stopped")
    }
  }

  private static let file = "templates.lua"

  /// Separates the line from the message of a module that does not load.
  private static func parsed(_ message: String, _ place: Int?) -> Self {
    let parts = message.split(separator: ":", maxSplits: 2)
    guard parts.count == 3, parts[0].hasSuffix(file), let line = Int(parts[1]) else {
      return Self(line: place, reason: message)
    }
    return Self(line: line, reason: String(parts[2].drop { $0 == " " }))
  }
}

extension TemplateValue {
  init(_ value: LuaValue) {
    switch value {
    case .none: self = .other("nil")
    case .boolean(let flag): self = .boolean(flag)
    case .integer(let number): self = .number(Double(number))
    case .number(let number): self = .number(number)
    case .string(let text), .notUTF8(let text): self = .text(PathBytes.readable(text))
    case .table(let table):
      self = .table(
        TemplateTable(
          items: table.array.map(TemplateValue.init),
          fields: table.fields.map { TemplateTable.Field($0.0, TemplateValue($0.1)) }))
    case .object(let object): self = .other(object.type)
    case .function: self = .other("function")
    case .unrepresentable(let name): self = .other(name)
    }
  }
}
