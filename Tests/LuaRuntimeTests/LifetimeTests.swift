import LuaRuntime
import TestSupport
import Testing

/// A closed state leaves nothing behind.
@Suite struct LifetimeTests {
  @Test(.thorough) func callsKeepNothing() throws {
    let test = try ValueTests.script { arguments, _ in
      if case .integer(let number)? = arguments.first {
        return [.object(LuaObject(type: "picture", handle: number)), .string("text \(number)")]
      }
      return arguments
    }
    let source = """
      local function same(v) return v end
      for i = 1, 5000 do
        take(i)
        take({ i, "text" .. i, nested = { i } })
        pcall(take, same, print)
      end
      take = take
      """
    // The first run fills the weak tables and buffers to their size.
    try test.run(source)
    try test.run("for i = 1, 50 do local s = ('x'):rep(1 << 20) .. i end")
    let before = test.state.memoryInUse
    try test.run(source)
    try test.run("for i = 1, 50 do local s = ('x'):rep(1 << 20) .. i end")
    let after = test.state.memoryInUse
    #expect(after < before + 3 << 20, "\(before) bytes became \(after)")
  }

  /// `deinit` asserts that Lua gave all its memory back.
  @Test func statesCloseAfterErrors() {
    for source in [
      "error 'x'", "local s = ('x'):rep(1 << 30)", "coroutine.wrap(function() error {} end)()",
      "x = = 1",
    ] {
      for _ in 0..<20 { #expect(TestScript().output(source) != "") }
    }
  }

  @Test func statesRunSideBySide() async {
    await withTaskGroup(of: String.self) { group in
      for number in 0..<8 {
        group.addTask {
          TestScript().output("local s = 0 for i = 1, 100000 do s = s + \(number) end print(s)")
        }
      }
      var outputs: Set<String> = []
      for await output in group { outputs.insert(output) }
      let expected = (0..<8).map { number in String(number * 100_000) }
      #expect(outputs == Set(expected))
    }
  }
}
