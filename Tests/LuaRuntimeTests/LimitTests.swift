import LuaRuntime
import Synchronization
import TestSupport
import Testing

/// Scripts that want too much.
@Suite struct LimitTests {
  static let memory: [Row] = [
    Row("gigabyte", "\nlocal s = ('x'):rep(1 << 30)", "memory test.lua:2: 8388608"),
    Row(
      "caught", "while true do pcall(string.rep, 'x', 1 << 30) end", "memory test.lua:1: 8388608"),
    Row("table", "local t = {}\nwhile true do\nt[#t + 1] = {}\nend", "memory test.lua:3: 8388608"),
    Row("doubling", "local s = 'x'\nwhile true do s = s .. s end", "memory test.lua:2: 8388608"),
    Row(
      "concat", "local t = {} for i = 1, 1000 do t[i] = ('x'):rep(99999) end",
      "memory test.lua:1: 8388608"),
    Row(
      "coroutine", "coroutine.wrap(function()\nlocal s = ('x'):rep(1 << 30) end)()",
      "memory test.lua:2: 8388608"),
    Row(
      "resumed",
      "print(coroutine.resume(coroutine.create(function()\nlocal s = ('x'):rep(1 << 30) end)))",
      "memory test.lua:2: 8388608"),
    Row(
      "garbage is free", "for i = 1, 100 do local s = ('x'):rep(1 << 20) .. i end print 'done'",
      "done"),
    Row(
      "too large to count", "local s = ('xx'):rep(math.maxinteger)",
      "runtime test.lua:1: resulting string too large"),
  ]

  @Test(arguments: memory) func memoryLimit(_ row: Row) {
    let test = TestScript(LuaLimits(memoryBytes: 8 << 20))
    #expect(test.output(row.source) == row.expected)
    #expect(test.output("print('usable')") == "usable")
  }

  static let time: [Row] = [
    Row("loop", "\nwhile true do end", "time test.lua:2: 0.2"),
    Row(
      "pcall swallows", "while true do pcall(function() while true do end end) end",
      "time test.lua:1: 0.2"),
    Row(
      "xpcall swallows",
      "while true do xpcall(function() while true do end end, function() while true do end end) end",
      "time test.lua:1: 0.2"),
    Row("coroutine", "coroutine.wrap(function()\nwhile true do end end)()", "time test.lua:2: 0.2"),
    Row(
      "coroutine swallows",
      "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
      "time test.lua:1: 0.2"),
    Row(
      "nested coroutines",
      "local function f() coroutine.wrap(function() while true do end end)() end\ncoroutine.wrap(f)()",
      "time test.lua:1: 0.2"),
    Row(
      "close swallows",
      "local x <close> = setmetatable({}, {__close = function() while true do end end}) while true do end",
      "time test.lua:1: 0.2"),
    Row(
      "load swallows", "while true do load(function() while true do end end) end",
      "time test.lua:1: 0.2"),
    Row(
      "error handler", "while true do xpcall(error, function() error('again') end) end",
      "time test.lua:1: 0.2"),
    Row("deep recursion", "local function f() pcall(f) pcall(f) end f()", "time test.lua:1: 0.2"),
    Row(
      "sort",
      "local t = {} for i = 1, 1000 do t[i] = i end\nwhile true do table.sort(t, function(a, b) return a < b end) end",
      "time test.lua:2: 0.2"),
    Row(
      "gsub", "while true do ('x'):rep(1000):gsub('x', function() return 'y' end) end",
      "time test.lua:1: 0.2"),
    Row(
      "metamethods",
      "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) while true do pcall(function() return t[1] end) end",
      "time test.lua:1: 0.2"),
  ]

  @Test(arguments: time) func timeLimit(_ row: Row) {
    let test = TestScript(LuaLimits(seconds: 0.2, graceSeconds: 20))
    #expect(test.output(row.source) == row.expected)
    #expect(test.state.timeInScript >= 0.2)
    // Nothing more runs on that state for longer than the hook takes to notice.
    #expect(test.output("for i = 1, 1e9 do end").hasPrefix("time"))
  }

  private static func spin() {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < .milliseconds(300) {}
  }

  /// A loop of calls is the script's doing, however little of it Lua itself does.
  @Test func hostTimeCounts() throws {
    let test = TestScript(LuaLimits(seconds: 0.2, graceSeconds: 60))
    test.state.register("spin") { _, _ in
      Self.spin()
      return []
    }
    try test.state.loadPrelude("spin = host.spin", name: "p")
    test.state.addModule("spin", fromPreludeGlobal: "spin")
    #expect(test.output("\nfor i = 1, 1e9 do require 'spin'() end") == "time test.lua:2: 0.2")
    #expect(test.state.timeInScript >= 0.3)
  }

  /// Lua within counts once, and what is waited for not at all.
  @Test func waitingDoesNotCount() throws {
    let test = TestScript(LuaLimits(seconds: 600))
    var waited = Duration.zero
    test.state.register("wait") {
      [unowned state = test.state] (arguments, _) throws(LuaHostError) in
      try state.waiting { () throws(LuaHostError) in
        let start = ContinuousClock.now
        Self.spin()
        waited += ContinuousClock.now - start
        guard case .function(let function)? = arguments.first else { return [] }
        do throws(LuaError) {
          return try state.call(function, [])
        } catch {
          throw LuaHostError(error)
        }
      }
    }
    try test.state.loadPrelude("wait = host.wait", name: "p")
    test.state.addModule("wait", fromPreludeGlobal: "wait")
    let start = ContinuousClock.now
    #expect(
      test.output("local w = require 'wait' w() w(function() w() end) print 'done'") == "done")
    let rest = ContinuousClock.now - start - waited
    #expect(waited >= .milliseconds(900))
    #expect(test.state.timeInScript <= rest / .seconds(1))
    #expect(test.state.timeInScript > 0)
  }

  @Test func limitsPassThroughHostCallbacks() throws {
    let test = TestScript(LuaLimits(memoryBytes: 8 << 20, seconds: 0.2))
    let state = test.state
    state.register("again") { [unowned state] (arguments, _) throws(LuaHostError) in
      guard case .function(let function)? = arguments.first else { return [] }
      do throws(LuaError) {
        return try state.call(function, [])
      } catch {
        throw LuaHostError(error)
      }
    }
    try state.loadPrelude("again = host.again", name: "p")
    state.addModule("again", fromPreludeGlobal: "again")
    #expect(
      test.output("pcall(require 'again', function() return ('x'):rep(1 << 30) end) print 'on'")
        == "memory test.lua:1: 8388608")
    #expect(
      test.output("pcall(require 'again', function() while true do end end) print 'on'")
        == "time test.lua:1: 0.2")
  }

  @Test(.thorough) func watchdogEndsAPatternBomb() {
    let message = Mutex("")
    let test = TestScript(LuaLimits(seconds: 0.1, graceSeconds: 0.1)) { text in
      message.withLock { $0 = text }
    }
    // Backtracks for about a second and then ends, so that the test's thread comes back.
    let source = "string.find(('a'):rep(\(bombSize)), ('.-'):rep(4) .. 'b')"
    _ = test.output(source)
    #expect(
      message.withLock { $0 }
        == "the script exceeded its time limit of 0.1 s and could not be stopped")
  }

  private let bombSize = 110

  @Test func watchdogLeavesHostCallsAlone() throws {
    let overran = Mutex(false)
    let test = TestScript(LuaLimits(seconds: 0.05, graceSeconds: 0.05)) { _ in
      overran.withLock { $0 = true }
    }
    test.state.register("wait") { _, _ in
      let start = ContinuousClock.now
      while ContinuousClock.now - start < .milliseconds(400) {}
      return []
    }
    try test.state.loadPrelude("wait = host.wait", name: "p")
    test.state.addModule("wait", fromPreludeGlobal: "wait")
    #expect(test.output("require('wait')() print 'done'") == "time test.lua:1: 0.05")
    #expect(!overran.withLock { $0 })
  }
}
