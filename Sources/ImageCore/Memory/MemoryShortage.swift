import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The end of a process that the system gives no memory for pixels.
///
/// Rows are wanted in the midst of operations and codecs, which have no way on without them.
public enum MemoryShortage {
  private static let farewell = Mutex<(@Sendable () -> Void)?>(nil)

  /// Sets what is done before the process ends: what would be left on the disk is removed.
  public static func onEnd(_ body: @escaping @Sendable () -> Void) {
    farewell.withLock { $0 = body }
  }

  /// Says so in one line and ends the process with status 1.
  static func end(_ byteCount: Int) -> Never {
    // Of several threads the first says it.
    let last = farewell.withLock { farewell in
      defer { farewell = {} }
      return farewell
    }
    last?()
    let size = max(1, (byteCount + 0xf_ffff) >> 20)
    let words =
      "imghost: the system gives no \(size) MB of memory for pixels; "
      + "lower --memory or --jobs, or raise 'ulimit -v'\n"
    _ = Array(words.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    _exit(1)
  }
}
