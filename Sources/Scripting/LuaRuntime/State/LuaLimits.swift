import CEmbeddedFiles

/// The limits of a script. They count from the start of the first script, after libraries and preludes are loaded.
package struct LuaLimits: Sendable, Equatable {
  /// The maximum size of all Lua values together, in bytes. While the host runs, Lua values and the copies that are
  /// exchanged with the host may together take up to 256 KiB more.
  package var memoryBytes: Int
  /// The time in seconds that scripts may spend in Lua and in host functions over the life of the state, not counting
  /// waits in host functions.
  package var seconds: Double
  /// The time in seconds from the limit until the watchdog acts, if the script cannot be stopped.
  package var graceSeconds: Double

  package init(memoryBytes: Int = 768 << 20, seconds: Double = 30, graceSeconds: Double = 1) {
    self.memoryBytes = memoryBytes
    self.seconds = seconds
    self.graceSeconds = graceSeconds
  }
}

/// The Lua chunks whose texts are embedded in the program.
package enum EmbeddedScript {
  /// Returns the text of a file in the list of `CEmbeddedFiles`.
  package static func text(_ name: String) -> String {
    var count = 0
    guard let bytes = imghost_embedded_file(name, &count) else { preconditionFailure("\(name) is not embedded") }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
