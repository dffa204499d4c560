import CLuaFence

/// The action of a state's watchdog. It lives as long as the state.
final class OverrunAction: Sendable {
  let limit: Double
  let action: @Sendable (String) -> Void

  init(limit: Double, action: @escaping @Sendable (String) -> Void) {
    self.limit = limit
    self.action = action
  }
}

/// The link that leads C's callbacks to the state. `state` is set after the C side is opened, because only then is the
/// `LuaState` fully initialised.
final class HostLink {
  /// Not weak, because the state owns this link, and clears this reference in its `deinit`.
  unowned(unsafe) var state: LuaState?
}

/// Opens the C side of a state. Its callbacks find the state through `link`.
///
/// The pointer to `link` is unretained: the state owns the link, and closes the C side before releasing it.
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

/// Returns seconds as whole nanoseconds, from 0 to about a century, so that sums of them do not overflow.
private func nanoseconds(_ seconds: Double) -> Int64 { Int64(min(max(seconds, 0), 3e9) * 1e9) }

/// Implements C's `called`: runs one host function for a script.
private func serveCall(
  _ context: UnsafeMutableRawPointer?, _ function: Int32, _ arguments: UnsafePointer<UInt8>?, _ length: Int,
  _ count: Int
) -> Int32 {
  guard let context, let state = Unmanaged<HostLink>.fromOpaque(context).takeUnretainedValue().state
  else { return Int32(SHIM_LUA_ABORTED) }
  return state.serve(function: Int(function), UnsafeRawBufferPointer(start: arguments, count: length), count)
}

/// Implements C's `overran`, on the watchdog's thread.
private func reportOverrun(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  let overrun = Unmanaged<OverrunAction>.fromOpaque(context).takeUnretainedValue()
  overrun.action("the script exceeded its time limit of \(overrun.limit) s and could not be stopped")
}

/// Work of a host function that the script can make long: its processor time and its memory count as the script's.
///
/// Created by ``LuaState/working(countsWaiting:_:)``, whose caller decides whether waiting for a disk counts, too.
package final class HostWork {
  private let lua: OpaquePointer
  private let began = shim_lua_thread_time()
  private var bytes = 0
  private var asked = 0

  fileprivate init(_ lua: OpaquePointer) { self.lua = lua }

  /// Adds to the memory that the work takes until its end. Must be called for each item of the work: some of these
  /// calls check the limits, and throw if the script exceeds one.
  package func add(byteCount: Int) throws(LuaHostError) {
    bytes += byteCount
    asked += 1
    // Getting the time is a system call, so only every 16th item and large items, which take long, lead to a check.
    guard asked % 16 == 1 || byteCount > 4_096 else { return }
    switch Int(shim_lua_check(lua, nanoseconds, bytes)) {
    case SHIM_LUA_OUT_OF_TIME: throw LuaHostError(.time(limit: 0, line: nil))
    case SHIM_LUA_OUT_OF_MEMORY: throw LuaHostError(.memory(limit: 0, line: nil))
    default: return
    }
  }

  fileprivate var nanoseconds: Int64 { shim_lua_thread_time() - began }
}

extension LuaState {
  /// Runs work that may wait for a disk, and counts its processor time as the script's.
  ///
  /// - Parameter countsWaiting: whether the time spent waiting counts, too.
  package func working<Result>(
    countsWaiting: Bool = false, _ body: (HostWork) throws(LuaHostError) -> Result
  ) throws(LuaHostError) -> Result {
    let work = HostWork(lua)
    if countsWaiting { return try body(work) }
    defer { shim_lua_spend(lua, work.nanoseconds) }
    return try waiting { () throws(LuaHostError) in try body(work) }
  }

  /// Counts bytes that the host keeps for the script as the script's memory. A script that exceeds its limit ends after
  /// the call that the host is serving.
  package func claim(byteCount: Int) { shim_lua_claim(lua, byteCount) }

  /// Counts the long strings among the arguments of the running call as the script's memory.
  package func claimLongArguments() { shim_lua_claim(lua, shim_lua_long_bytes(lua)) }
}
