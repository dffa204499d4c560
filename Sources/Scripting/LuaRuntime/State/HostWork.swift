import CLuaFence

/// Work of a host function whose length the script decides: its processor time and its memory count as the script's.
///
/// Waiting for a disk does not. Make it with ``LuaState/working(countsWaiting:_:)``.
package final class HostWork {
  private let lua: OpaquePointer
  private let began = shim_lua_thread_time()
  private var bytes = 0
  private var asked = 0

  fileprivate init(_ lua: OpaquePointer) { self.lua = lua }

  /// Adds to the memory that the work takes until it ends, and ends the script that exceeds a limit. To be called for
  /// each item of the work.
  package func add(byteCount: Int) throws(LuaHostError) {
    bytes += byteCount
    asked += 1
    // Asking for the time is a system call. Large items take long.
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
  /// - Parameter countsWaiting: whether all the time counts.
  package func working<Result>(
    countsWaiting: Bool = false, _ body: (HostWork) throws(LuaHostError) -> Result
  ) throws(LuaHostError) -> Result {
    let work = HostWork(lua)
    if countsWaiting { return try body(work) }
    defer { shim_lua_spend(lua, work.nanoseconds) }
    return try waiting { () throws(LuaHostError) in try body(work) }
  }

  /// Counts bytes that the host keeps for the script as its memory. A script that exceeds its limit ends after the call
  /// that the host serves.
  package func claim(byteCount: Int) { shim_lua_claim(lua, byteCount) }

  /// Counts the long strings among the arguments of the running call likewise.
  package func claimLongArguments() { shim_lua_claim(lua, shim_lua_long_bytes(lua)) }
}
