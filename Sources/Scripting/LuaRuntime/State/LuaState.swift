import CLuaFence
import Platform

/// One Lua 5.4 state: a sandboxed environment for the user's script and a trusted one for preludes.
///
/// Call its methods in this order: ``init(limits:onOverrun:)``, ``register(_:_:)``, ``loadPrelude(_:name:)``,
/// ``addModule(_:fromPreludeGlobal:)``, then ``run(source:name:arguments:)`` and ``call(_:_:)``.
///
/// A state belongs to the thread that uses it, and is deliberately not `Sendable`; only `onOverrun` runs on another
/// thread, and `stopper` may be called from any. Lua's memory is freed when the state is released. Lua errors never
/// unwind through Swift: Lua is called only from C (`CLuaFence.h`), which returns codes.
///
/// `math.random` starts from a fixed seed, so that a script always makes the same pictures.
package final class LuaState {
  /// A function of the host. It receives its arguments and the line of the script that called it, and returns its
  /// results.
  package typealias HostFunction = (_ arguments: [LuaValue], _ line: ScriptLine?) throws(LuaHostError) -> [LuaValue]
  /// A function of the host that writes its results as tokens, and returns their number.
  typealias EncodedFunction = ([LuaValue], ScriptLine?, inout TokenEncoder) throws(LuaHostError) -> Int

  package let limits: LuaLimits
  /// Called with the text of each `print`, without the line end.
  package var onPrint: (String) -> Void = { _ in }
  /// Returns the text of a module for `require`; nil if there is none.
  ///
  /// The path, such as `styles/warm.lua`, is relative to the script's folder. The names in it consist of letters,
  /// digits, `_` and `-`.
  package var moduleLoader: (_ path: String) throws(LuaHostError) -> [UInt8]? = { _ in nil }

  /// The C side of the state. It holds two pointers: an unretained one to `link`, for callbacks, which come only from
  /// calls that `self` makes; and a retained one to the watchdog's action, which `deinit` releases.
  let lua: OpaquePointer
  var functions: [EncodedFunction] = []
  private let overrun: Unmanaged<OverrunAction>
  private let link: HostLink

  /// Opens a state with its sandbox.
  ///
  /// - Parameter onOverrun: called at most once, on the watchdog's thread, with a sentence for the user, if the script
  ///   cannot be stopped at its time limit (for example, in a pattern that never ends). The script's thread cannot be
  ///   made to return then, so the function must clean up and exit the process.
  package init(limits: LuaLimits = LuaLimits(), onOverrun: @escaping @Sendable (String) -> Void) {
    self.limits = limits
    overrun = Unmanaged.passRetained(OverrunAction(limit: limits.seconds, action: onOverrun))
    link = HostLink()
    lua = openLua(limits, link: link, overrun: overrun)
    link.state = self
    registerSandboxFunctions()
    do {
      try loadPrelude(EmbeddedScript.text("Sandbox.lua"), name: "sandbox")
    } catch {
      preconditionFailure("the sandbox does not load: \(error)")
    }
  }

  deinit {
    link.state = nil
    let left = shim_lua_close(lua)
    assert(left == 0, "Lua kept \(left) bytes")
    overrun.release()
  }

  /// The seconds spent so far in Lua and in the host functions that it called, not counting the time in
  /// ``waiting(_:)``.
  package var timeInScript: Double { Double(shim_lua_nanoseconds(lua)) * 1e-9 }

  /// A function that asks the script to stop, as if its time were up, without waiting for it. It may be called from any
  /// thread while the state exists.
  package var stopper: @Sendable () -> Void {
    // Stopping only sets a flag.
    nonisolated(unsafe) let lua = lua
    return { shim_lua_stop(lua) }
  }

  /// Frees the memory that the script can no longer reach; wraps `lua_gc`. Must not be called while Lua runs.
  package func collectGarbage() { shim_lua_collect(lua) }

  /// The number of bytes that Lua has allocated, or that the host has claimed for the script.
  package var memoryInUse: Int { shim_lua_bytes(lua) }

  /// The innermost line of the script in the call that the host is serving; nil outside a call, or if no line of the
  /// script is found.
  package var currentLine: ScriptLine? { ScriptLine(shim_lua_current_line(lua)) }

  /// The local variables and upvalues that are nil in the script's innermost function: in the call that the host is
  /// serving or, outside a call, where the last error was raised.
  package var nilVariables: Set<String> {
    var length = 0
    let names = shim_lua_nil_variables(lua, &length)
    return Set(
      UnsafeRawBufferPointer(start: names, count: length).split(separator: 0).map {
        String(decoding: $0, as: UTF8.self)
      })
  }

  /// The number that identifies this state in ``LuaFunction``.
  var identity: Int { Int(bitPattern: lua) }
}

// MARK: - Sandbox

extension LuaState {
  /// Registers the functions that `Sandbox.lua` takes from `host` and then removes from it.
  func registerSandboxFunctions() {
    register("print_line") { [unowned self] arguments, _ in
      switch arguments.first {
      case .string(let line)?, .notUTF8(let line)?: waiting { onPrint(PathBytes.readable(line)) }
      default: break
      }
      return []
    }
    // A module's text is passed to Lua byte for byte, like the script's own text.
    registerEncoded("load_module") { [unowned self] (arguments, _, encoder) throws(LuaHostError) in
      guard case .string(let path)? = arguments.first,
        let source = try waiting({ () throws(LuaHostError) in try moduleLoader(path) })
      else { return 0 }
      encoder.string(bytes: source)
      return 1
    }
  }
}

// MARK: - Preparing

extension LuaState {
  /// Adds a function to the prelude's table `host`, which no script can access.
  ///
  /// `body` runs on the state's thread, inside a call into Lua. Its time counts as the script's, except for the time in
  /// ``waiting(_:)``. It may call ``call(_:_:)``. The state keeps `body`, so `body` must refer to the state weakly or
  /// unowned.
  package func register(_ name: String, _ body: @escaping HostFunction) {
    registerEncoded(name) { (arguments, line, encoder) throws(LuaHostError) in
      let results = try body(arguments, line)
      for result in results { try encoder.value(result) }
      return results.count
    }
  }

  /// Runs work whose time does not count as the script's: waiting, or reading files that the script does not control.
  /// The time of calls into Lua within the work does count.
  package func waiting<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let span = shim_lua_begin(lua)
    defer { shim_lua_end_idle(lua, span) }
    return try body()
  }

  /// Registers a function that writes its results as tokens; otherwise like ``register(_:_:)``.
  func registerEncoded(_ name: String, _ body: @escaping EncodedFunction) {
    functions.append(body)
    let code = shim_lua_register(lua, name, Int32(functions.count - 1))
    precondition(code == SHIM_LUA_OK, "no memory to register host function \(name)")
  }

  /// Runs a trusted chunk, which may build the script's API as globals of its own environment.
  ///
  /// The chunk can use Lua's base library, `string` (without `dump`), `table`, `math`, `utf8`, `coroutine` and `os`
  /// unchanged by scripts, the table `host` of registered functions, and `types`, where `types.picture` is the
  /// metatable of all objects of type "picture". Lines of trusted chunks never appear in errors that a script caused.
  /// Chunks share one environment: later ones find the globals of earlier ones.
  ///
  /// - Parameter name: the name of the chunk in its own errors, which are bugs of the host.
  package func loadPrelude(_ source: String, name: String) throws(LuaError) {
    let code = Array(source.utf8).withUnsafeBufferPointer {
      shim_lua_prelude(lua, $0.baseAddress, $0.count, name)
    }
    try check(code)
  }

  /// Makes `require "name"` return the value of the global `global` of the preludes.
  package func addModule(_ name: String, fromPreludeGlobal global: String) {
    let code = shim_lua_module(lua, name, global)
    precondition(code == SHIM_LUA_OK, "preludes left no global \(global) for module \(name)")
  }
}

// MARK: - Running

extension LuaState {
  /// Runs a script in the sandbox until it ends.
  ///
  /// - Parameters:
  ///   - source: the script's text; a first line that starts with `#` is skipped. Bytecode is refused.
  ///   - name: the file as the user gave it, for messages and for the names of modules beside it.
  ///   - arguments: the values in `arg[1…]` and in `...`; `arg[0]` is `name`.
  package func run(source: [UInt8], name: String, arguments: [String]) throws(LuaError) {
    var encoder = TokenEncoder(owner: identity)
    for argument in arguments { encoder.string(argument) }
    let code = source.withUnsafeBufferPointer { source in
      encoder.bytes.withUnsafeBufferPointer {
        shim_lua_script(lua, source.baseAddress, source.count, name, $0.baseAddress, arguments.count)
      }
    }
    try check(code)
  }

  /// Calls a function that the script has passed to the host, on the state's thread.
  ///
  /// The function cannot yield out of the call. ``LuaError/runtime(message:line:)`` is also thrown if an argument has
  /// no Lua form.
  package func call(_ function: LuaFunction, _ arguments: [LuaValue]) throws(LuaError) -> [LuaValue] {
    precondition(function.owner == identity, "a LuaFunction of another state")
    var encoder = TokenEncoder(owner: identity)
    do {
      for argument in arguments { try encoder.value(argument) }
    } catch {
      throw .runtime(message: error.message, line: nil)
    }
    let code = encoder.bytes.withUnsafeBufferPointer {
      shim_lua_call(lua, Int64(function.reference), $0.baseAddress, arguments.count)
    }
    try check(code)
    var length = 0
    var count = 0
    let results = UnsafeRawBufferPointer(start: shim_lua_results(lua, &length, &count), count: length)
    return TokenDecoder.values(results, count: count, owner: identity)
  }

  /// Serves one call of a script: takes C's arguments, leaves the answer with C, and returns a code.
  func serve(function: Int, _ arguments: UnsafeRawBufferPointer, _ count: Int) -> Int32 {
    let arguments = TokenDecoder.values(arguments, count: count, owner: identity)
    var encoder = TokenEncoder(owner: identity)
    do {
      let results = try functions[function](arguments, currentLine, &encoder)
      return answer(encoder.bytes, results, SHIM_LUA_OK)
    } catch {
      switch error.kind {
      case .message, .mistake: return answer(Array(error.message.utf8), 0, SHIM_LUA_ERROR)
      case .abort: return Int32(SHIM_LUA_ABORTED)
      case .time: return Int32(SHIM_LUA_OUT_OF_TIME)
      case .memory: return Int32(SHIM_LUA_OUT_OF_MEMORY)
      }
    }
  }

  private func answer(_ bytes: [UInt8], _ count: Int, _ code: Int) -> Int32 {
    let kept = bytes.withUnsafeBufferPointer {
      shim_lua_answer(lua, $0.baseAddress, $0.count, count)
    }
    return Int32(kept ? code : SHIM_LUA_OUT_OF_MEMORY)
  }

  /// Throws the error for a code from C, with the line and message that C keeps; returns for `SHIM_LUA_OK`.
  func check(_ code: Int32) throws(LuaError) {
    let line = ScriptLine(shim_lua_error_line(lua).pointee)
    switch Int(code) {
    case SHIM_LUA_OK: return
    case SHIM_LUA_SYNTAX_ERROR: throw .syntax(message: lastMessage, line: line)
    case SHIM_LUA_OUT_OF_MEMORY: throw .memory(limit: limits.memoryBytes, line: line)
    case SHIM_LUA_OUT_OF_TIME: throw .time(limit: limits.seconds, line: line)
    case SHIM_LUA_ABORTED: throw .aborted
    default: throw .runtime(message: lastMessage, line: line)
    }
  }

  private var lastMessage: String {
    var length = 0
    let bytes = shim_lua_message(lua, &length)
    return String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
  }
}

extension ScriptLine {
  /// Makes the line that C reports; nil if it reports none.
  init?(_ line: shim_lua_line) {
    guard line.line > 0 else { return nil }
    let file = withUnsafeBytes(of: line.file) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    self.init(file: file, line: Int(line.line))
  }
}
