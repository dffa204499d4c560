import LuaRuntime
import Testing

/// A Lua state that records what its script prints, with a short way to run code.
final class TestScript {
  let state: LuaState
  private(set) var printed: [String] = []

  init(_ limits: LuaLimits = LuaLimits(), onOverrun: @escaping @Sendable (String) -> Void = { _ in }) {
    state = LuaState(limits: limits, onOverrun: onOverrun)
    state.onPrint = { [unowned self] in printed.append($0) }
  }

  func run(_ source: String, arguments: [String] = []) throws(LuaError) {
    try state.run(source: Array(source.utf8), name: "test.lua", arguments: arguments)
  }

  /// Runs `source`. Returns what it printed, or its error as `kind line: message`.
  func output(_ source: String) -> String {
    printed = []
    do {
      try run(source)
      return printed.joined(separator: "\n")
    } catch {
      return describe(error)
    }
  }
}

func describe(_ error: LuaError) -> String {
  let place = error.line.map { "\($0): " } ?? ""
  return switch error {
  case .syntax(let message, _): "syntax \(place)\(message)"
  case .runtime(let message, _): "runtime \(place)\(message)"
  case .memory(let limit, _): "memory \(place)\(limit)"
  case .time(let limit, _): "time \(place)\(limit)"
  case .aborted: "aborted"
  }
}

/// A row of a table of tests, displayed by its name.
struct Row: Sendable, CustomTestStringConvertible {
  let name: String
  let source: String
  let expected: String

  init(_ name: String, _ source: String, _ expected: String) {
    self.name = name
    self.source = source
    self.expected = expected
  }

  var testDescription: String { name }
}
