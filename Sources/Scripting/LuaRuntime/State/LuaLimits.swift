/// The limits of a script. They count from the start of the first script, after libraries and preludes.
package struct LuaLimits: Sendable, Equatable {
  /// The bytes that all Lua values together may take. The host's side of an exchange may exceed it by 256 KiB.
  package var memoryBytes: Int
  /// The seconds in Lua over the life of the state; time in host functions does not count.
  package var seconds: Double
  /// The seconds after the limit until the watchdog acts, if the script cannot be stopped.
  package var graceSeconds: Double

  package init(memoryBytes: Int = 768 << 20, seconds: Double = 30, graceSeconds: Double = 1) {
    self.memoryBytes = memoryBytes
    self.seconds = seconds
    self.graceSeconds = graceSeconds
  }
}
