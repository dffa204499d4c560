import ImageCore
import ImagePipeline
import LuaRuntime
import Platform

/// The module `imghost.test`, which is available only to tests.
extension ScriptSession {
  static let testModule = "imghost.test"
  static let testModulePath = "imghost/test.lua"

  /// Registers the functions behind the module, and loads it.
  func registerTesting(_ mode: TestMode) {
    register("test_mode") { (_, _, _) throws(LuaHostError) in [mode.luaTable] }
    register("test_declare") { (_, arguments, position) throws(LuaHostError) in
      mode.onEvent(.declared(name: Self.text(arguments), line: position?.line ?? 0))
      return []
    }
    register("test_whole") { (_, _, _) throws(LuaHostError) in
      mode.onEvent(.isWhole)
      throw .abort
    }
    register("test_ran") { (session, _, _) throws(LuaHostError) in
      // A test that saves pictures itself ends when they are written.
      try session.finishJobs()
      mode.onEvent(.ended)
      return []
    }
    register("test_skip") { (_, arguments, _) throws(LuaHostError) in
      mode.onEvent(.skipped(reason: Self.text(arguments)))
      throw .abort
    }
    register("test_updated") { (_, arguments, _) throws(LuaHostError) in
      mode.onEvent(.updated(path: Self.text(arguments)))
      return []
    }
    register("test_exists") { (_, arguments, _) throws(LuaHostError) in
      [.boolean(access(Self.text(arguments), F_OK) == 0)]
    }
    // Removes the picture of an earlier failure. The module makes the picture's name, so that tests remove no other
    // file.
    register("test_forget") { (_, arguments, _) throws(LuaHostError) in
      unlink(mode.project + "/" + Self.text(arguments))
      return []
    }
    register("test_run") { (session, arguments, _) throws(LuaHostError) in
      [try session.runScript(arguments, mode)]
    }
    do {
      try lua.loadPrelude(EmbeddedScript.text("Test.lua"), name: Self.testModule)
    } catch {
      preconditionFailure("the module for tests does not load: \(error)")
    }
    lua.addModule(Self.testModule, fromPreludeGlobal: "imghost_test")
  }

  private static func text(_ arguments: [LuaValue]) -> String {
    if case .string(let text)? = arguments.first { text } else { "" }
  }

  /// Carries out what the test has requested so far, such as pictures that a script is to read.
  private func finishJobs() throws(LuaHostError) {
    try waiting {
      try run.settle()
      for job in run.jobs { try run.wait(forNextOf: [job], onFinished: notify) }
    }
    if run.cancellation.isCancelled { throw .abort }
  }

  private func runScript(_ arguments: [LuaValue], _ mode: TestMode) throws(LuaHostError) -> LuaValue {
    var request = TestMode.Request(script: Self.text(arguments))
    if arguments.count > 1, case .table(let table) = arguments[1] { try request.take(table) }
    try finishJobs()
    let cancellation = run.cancellation
    switch lua.waiting({ mode.run(request, { cancellation.isCancelled }) }) {
    case .success(let outcome): return outcome.luaTable
    case .failure(let problem): throw LuaHostError(message: "t.run: " + problem.text)
    }
  }
}

extension TestMode {
  fileprivate var luaTable: LuaValue {
    let part: LuaValue =
      switch self.part {
      case .names: .none
      case .whole: .integer(0)
      case .test(let number): .integer(number)
      }
    return .table(
      LuaTable(fields: [
        ("case", part), ("name", .string(name)), ("project", .string(project)), ("folder", .string(folder)),
        ("updates", .boolean(updates)),
      ]))
  }
}

extension TestMode.Request {
  /// The options of `t.run`.
  private static let names = ["args", "settings", "out", "on_error", "options"]

  init(script: String) { self.script = script }

  fileprivate mutating func take(_ table: LuaTable) throws(LuaHostError) {
    guard table.array.isEmpty else { throw Self.mistake("options have names, such as args = { \"photos\" }") }
    for (name, value) in table.fields {
      switch name {
      case "args": arguments = try Self.words(value, name)
      case "options": options = try Self.words(value, name)
      case "out": outputFolder = try Self.word(value, name)
      case "on_error": onError = try Self.word(value, name)
      case "settings":
        guard case .table(let table) = value, table.array.isEmpty else {
          throw Self.mistake("'settings' takes a table of names and values, such as { width = 300 }")
        }
        settings = try table.fields.map { (field) throws(LuaHostError) in (field.0, try Self.word(field.1, name)) }
      default:
        let hint = Suggestion.nearest(to: name, in: Self.names).map { " (did you mean '\($0)'?)" } ?? ""
        throw Self.mistake(
          "unknown option '\(printable(name))'\(hint); valid: " + Self.names.joined(separator: ", "))
      }
    }
  }

  private static func words(_ value: LuaValue, _ name: String) throws(LuaHostError) -> [String] {
    guard case .table(let table) = value, table.fields.isEmpty else {
      throw mistake("'\(name)' takes a list, such as { \"photos\" }")
    }
    return try table.array.map { (item) throws(LuaHostError) in try word(item, name) }
  }

  private static func word(_ value: LuaValue, _ name: String) throws(LuaHostError) -> String {
    switch value {
    case .string(let text) where !text.utf8.contains(0): text
    case .integer(let number): String(number)
    case .number(let number): ParameterValue.text(number)
    case .boolean(let isOn): isOn ? "true" : "false"
    default: throw mistake("'\(name)' takes texts, numbers and booleans, not a \(value.kindName)")
    }
  }

  private static func mistake(_ text: String) -> LuaHostError { LuaHostError(message: "t.run: " + text) }
}

extension TestMode.Outcome {
  fileprivate var luaTable: LuaValue {
    let outputs = outputs.map { output in
      LuaValue.table(
        LuaTable(fields: [
          ("path", .string(output.path)), ("file", .string(output.file)), ("bytes", .integer(output.byteCount)),
          ("width", output.size.map { .integer($0.width) } ?? .none),
          ("height", output.size.map { .integer($0.height) } ?? .none),
        ]))
    }
    let messages = messages.map { message in
      LuaValue.table(
        LuaTable(fields: [
          ("kind", .string(message.kind)), ("text", .string(message.text)),
          ("script", message.script.map { .string($0) } ?? .none), ("line", message.line.map { .integer($0) } ?? .none),
        ]))
    }
    return .table(
      LuaTable(fields: [
        ("status", .integer(status)), ("ok", .boolean(status == 0)), ("folder", .string(folder)),
        ("outputs", .table(LuaTable(array: outputs))), ("messages", .table(LuaTable(array: messages))),
        ("printed", .table(LuaTable(array: printed.map { .string($0) }))),
      ]))
  }
}
