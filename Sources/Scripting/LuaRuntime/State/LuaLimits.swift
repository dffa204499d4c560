/// What a script may use before it is ended, counted from the start of the first script: libraries and
/// preludes come before.
public struct LuaLimits: Sendable, Equatable {
  /// Bytes that all Lua values together may take. The host's own side of an exchange may go a
  /// quarter of a megabyte over it.
  public var memoryBytes: Int
  /// Seconds in Lua over the life of the state; time in host functions does not count.
  public var seconds: Double
  /// Seconds after the limit that a script may resist being stopped before the watchdog acts.
  public var graceSeconds: Double

  public init(memoryBytes: Int = 256 << 20, seconds: Double = 30, graceSeconds: Double = 1) {
    self.memoryBytes = memoryBytes
    self.seconds = seconds
    self.graceSeconds = graceSeconds
  }
}
