import LuaRuntime
import Synchronization
import TestSupport
import Testing

/// Scripts that exceed their limits.
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

  /// A function of the host whose work and results the script decides.
  private func worker(_ limits: LuaLimits) throws -> TestScript {
    let test = TestScript(limits)
    test.state.register("take") { _, _ in [] }
    test.state.register("work") { [unowned state = test.state] (arguments, _) throws(LuaHostError) in
      guard case .integer(let count)? = arguments.first, case .integer(let bytes)? = arguments.last else { return [] }
      try state.working { work throws(LuaHostError) in
        for _ in 0..<count { try work.add(byteCount: bytes) }
      }
      return []
    }
    test.state.register("keep") { [unowned state = test.state] (arguments, _) throws(LuaHostError) in
      if case .integer(let bytes)? = arguments.first { state.claim(byteCount: bytes) }
      state.claimLongArguments()
      return []
    }
    try test.state.loadPrelude("m = host", name: "p")
    test.state.addModule("m", fromPreludeGlobal: "m")
    return test
  }

  /// What the host does with its arguments counts in the script's memory, although Lua's allocator does not see it.
  @Test(arguments: [
    Row(
      "many times a string", "local t, s = {}, ('x'):rep(1 << 20) for i = 1, 100 do t[i] = s end m.take(t)", "memory"),
    Row("as fields", "local t, s = {}, ('x'):rep(1 << 20) for i = 1, 100 do t['a' .. i] = s end m.take(t)", "memory"),
    Row("as arguments", "local s = ('x'):rep(1 << 20) m.take(s, s, s, s, s, s, s, s)", "memory"),
    Row("as a name", "local t = {[('x'):rep(4 << 20)] = 1} m.take(t, t)", "memory"),
    Row("many values", "local t = {} for i = 1, 200000 do t[i] = true end m.take(t)", "memory"),
    Row("the same table", "local t = {1} for i = 1, 14 do t = {t, t, t} end m.take(t)", "memory"),
    Row("work", "m.work(1000, 1 << 20)", "memory"),
    Row("work in small steps", "m.work(1000000, 100)", "memory"),
    Row("what is kept", "for i = 1, 1000 do m.keep(100000) end", "memory"),
    Row("long strings that are kept", "for i = 1, 1000 do m.keep(0, ('x'):rep(100000) .. i) end", "memory"),
    Row("caught", "for i = 1, 1000 do pcall(m.keep, 100000) end", "memory"),
    Row(
      "garbage makes room", "for i = 1, 30 do local s = ('x'):rep(1 << 20) .. i m.keep(100000) end print 'done'", "done"
    ),
    Row("short strings", "for i = 1, 100000 do m.keep(0, 'photos/' .. i .. '.jpg') end print 'done'", "done"),
    Row("small work", "for i = 1, 100 do m.work(1000, 100) end print 'done'", "done"),
  ]) func memoryOfTheHost(_ row: Row) throws {
    let test = try worker(LuaLimits(memoryBytes: 8 << 20, seconds: 600))
    #expect(test.output("local m = require 'm' " + row.source).hasPrefix(row.expected))
  }

  /// Work that never waits ends with the script's time, within one call.
  @Test func timeOfWork() throws {
    let test = try worker(LuaLimits(seconds: 0.2, graceSeconds: 600))
    #expect(test.output("local m = require 'm'\npcall(m.work, 1 << 50, 0) print 'on'") == "time test.lua:2: 0.2")
    #expect(test.state.timeInScript >= 0.2)
  }

  /// Stopping from another thread ends work, too.
  @Test func workIsStopped() throws {
    let test = try worker(LuaLimits(seconds: 600, graceSeconds: 600))
    test.state.stopper()
    #expect(test.output("local m = require 'm' m.work(1 << 50, 0)").hasPrefix("time"))
  }

  /// The host gets as much of an error as a person reads.
  @Test(arguments: [
    "error(('ä'):rep(1 << 20))", "error(setmetatable({}, {__tostring = function() return ('ä'):rep(1 << 20) end}))",
    "error('a' .. ('ä'):rep(1 << 20), 0)", "require 'm'.fail(('ä'):rep(1 << 20))",
    "load(('ä'):rep(1 << 20))()",
  ]) func errorsAreCut(_ source: String) throws {
    let test = TestScript(LuaLimits(memoryBytes: 64 << 20))
    test.state.register("fail") { (arguments, _) throws(LuaHostError) in
      guard case .string(let text)? = arguments.first else { return [] }
      throw LuaHostError(message: text)
    }
    try test.state.loadPrelude("m = host", name: "p")
    test.state.addModule("m", fromPreludeGlobal: "m")
    let output = test.output(source)
    #expect(output.hasPrefix("runtime test.lua:1: ") && output.utf8.count < 17 << 10, "\(output.prefix(80))")
    #expect(!output.contains("\u{fffd}"))
    if !source.hasPrefix("load") { #expect(output.hasSuffix(" bytes more")) }
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
