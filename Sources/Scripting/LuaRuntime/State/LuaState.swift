import CShims

/// One Lua 5.4 state: a sandboxed environment for the user's script and a trusted one for preludes.
///
/// Set it up in this order: ``init(limits:onOverrun:)``, ``register(_:_:)``, ``loadPrelude(_:name:)``,
/// ``addModule(_:fromPreludeGlobal:)``, then ``run(source:name:arguments:)`` and ``call(_:_:)``.
///
/// A state belongs to the thread that uses it and is deliberately not `Sendable`; only `onOverrun` runs
/// elsewhere. Lua's own memory is freed when the state is released. Errors of Lua never unwind through
/// Swift: all of Lua is called from C (`shim_lua.h`), which hands back codes.
///
/// `math.random` starts from a fixed seed, so that the same script makes the same pictures. The order of
/// `pairs` over names is Lua's and may differ from run to run.
package final class LuaState {
  /// A function of the host: arguments and the script's line that called it in, results out.
  package typealias HostFunction = (_ arguments: [LuaValue], _ line: ScriptLine?) throws(LuaHostError) -> [LuaValue]
  /// The same with its results already in tokens; returns how many there are.
  typealias EncodedFunction = ([LuaValue], ScriptLine?, inout TokenEncoder) throws(LuaHostError) -> Int

  package let limits: LuaLimits
  /// Gets each line that the script prints, without the line's end.
  package var onPrint: (String) -> Void = { _ in }
  /// Finds the text of a module for `require`, or nil.
  ///
  /// Gets a relative path such as `styles/warm.lua`, made of letters, digits, `_` and `-` only, that is
  /// meant from the script's folder.
  package var moduleLoader: (_ path: String) -> [UInt8]? = { _ in nil }

  /// The C side. It holds an unretained pointer to `self` for callbacks, which come only from inside
  /// calls that `self` makes, and a retained one to the watchdog's action, released in `deinit`.
  let lua: OpaquePointer
  var functions: [EncodedFunction] = []
  private let overrun: Unmanaged<OverrunAction>
  private let link: HostLink

  /// Opens a state with the sandbox in place.
  ///
  /// - Parameter onOverrun: Called at most once, on the watchdog's thread, with a sentence for the user,
  ///   when the script resists its time limit (a pattern that never ends). Nothing can return control to
  ///   the script's thread then: clean up and exit the process there.
  package init(limits: LuaLimits = LuaLimits(), onOverrun: @escaping @Sendable (String) -> Void) {
    self.limits = limits
    overrun = Unmanaged.passRetained(OverrunAction(limit: limits.seconds, action: onOverrun))
    link = HostLink()
    lua = openLua(limits, link: link, overrun: overrun)
    link.state = self
    registerSandboxFunctions()
    do {
      try loadPrelude(String(decoding: PackageResources.Sandbox_lua, as: UTF8.self), name: "sandbox")
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

  /// Seconds spent so far in Lua and in host functions that it called, without what these spent in ``waiting(_:)``.
  package var timeInScript: Double { Double(shim_lua_nanoseconds(lua)) * 1e-9 }

  /// Returns what ends the script soon, as if its time were up. It may be called from any thread, as long as the state
  /// is not released.
  package var stopper: @Sendable () -> Void {
    // Stopping only sets a flag.
    nonisolated(unsafe) let lua = lua
    return { shim_lua_stop(lua) }
  }

  /// Frees what the script can no longer reach; wraps `lua_gc`. Between calls, not within one.
  package func collectGarbage() { shim_lua_collect(lua) }

  /// Bytes that Lua's values take now.
  package var memoryInUse: Int { shim_lua_bytes(lua) }

  /// The innermost line of the script in the call that the host is serving, or nil outside of one.
  package var currentLine: ScriptLine? { ScriptLine(shim_lua_current_line(lua)) }

  /// The number of this state, for ``LuaFunction``.
  var identity: Int { Int(bitPattern: lua) }
}
