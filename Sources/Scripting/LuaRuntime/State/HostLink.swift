import CLuaFence

/// The action of the watchdog; lives as long as its state.
final class OverrunAction: Sendable {
  let limit: Double
  let action: @Sendable (String) -> Void

  init(limit: Double, action: @escaping @Sendable (String) -> Void) {
    self.limit = limit
    self.action = action
  }
}

/// The way from C's callbacks to the state, which exists only after C's side does.
final class HostLink {
  /// Not weak: the state owns this link and takes itself out before it goes.
  unowned(unsafe) var state: LuaState?
}

/// Opens the C side of a state whose callbacks find it through `link`.
///
/// The pointer to `link` is unretained: the state owns the link and closes C's side before releasing it.
func openLua(_ limits: LuaLimits, link: HostLink, overrun: Unmanaged<OverrunAction>) -> OpaquePointer {
  let host = shim_lua_host(
    context: Unmanaged.passUnretained(link).toOpaque(), called: serveCall,
    watchdog_context: overrun.toOpaque(), overran: reportOverrun)
  let limits = shim_lua_limits(
    memory_bytes: max(limits.memoryBytes, 0),
    time_nanoseconds: nanoseconds(limits.seconds),
    grace_nanoseconds: nanoseconds(limits.graceSeconds))
  guard let lua = shim_lua_open(limits, host) else { fatalError("no memory for a Lua state") }
  return lua
}

/// Seconds as whole nanoseconds, kept within a century so that sums of them fit.
private func nanoseconds(_ seconds: Double) -> Int64 { Int64(min(max(seconds, 0), 3e9) * 1e9) }

/// C's `called`: runs one host function for a script.
private func serveCall(
  _ context: UnsafeMutableRawPointer?, _ function: Int32, _ arguments: UnsafePointer<UInt8>?, _ length: Int,
  _ count: Int
) -> Int32 {
  guard let context, let state = Unmanaged<HostLink>.fromOpaque(context).takeUnretainedValue().state
  else { return Int32(SHIM_LUA_ABORTED) }
  return state.serve(function: Int(function), UnsafeRawBufferPointer(start: arguments, count: length), count)
}

/// C's `overran`, on the watchdog's thread.
private func reportOverrun(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  let overrun = Unmanaged<OverrunAction>.fromOpaque(context).takeUnretainedValue()
  overrun.action("the script exceeded its time limit of \(overrun.limit) s and could not be stopped")
}
