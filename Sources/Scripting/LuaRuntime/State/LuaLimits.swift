/// The limits of a script. They count from the start of the first script, after libraries and preludes are loaded.
package struct LuaLimits: Sendable, Equatable {
  /// The maximum size of all Lua values together, in bytes. Exchanges with the host may exceed it by 256 KiB.
  package var memoryBytes: Int
  /// The time in seconds that scripts may spend in Lua over the life of the state, not counting waits in host
  /// functions.
  package var seconds: Double
  /// The time in seconds from the limit until the watchdog acts, if the script cannot be stopped.
  package var graceSeconds: Double

  package init(memoryBytes: Int = 768 << 20, seconds: Double = 30, graceSeconds: Double = 1) {
    self.memoryBytes = memoryBytes
    self.seconds = seconds
    self.graceSeconds = graceSeconds
  }
}
