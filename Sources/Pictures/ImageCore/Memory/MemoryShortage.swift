import CExitCleanup
import Synchronization

/// Ends the process when the system has no memory for pixels.
///
/// Operations and codecs need rows in places where they could not report an error.
public enum MemoryShortage {
  private static let farewell = Mutex<(@Sendable () -> Void)?>(nil)

  /// Sets a closure to be called before the process ends.
  public static func onEnd(_ body: @escaping @Sendable () -> Void) { farewell.withLock { $0 = body } }

  /// Prints one line, removes temporary files, and ends the process with status 1.
  static func end(_ byteCount: Int) -> Never {
    farewell.withLock { $0 }?()
    let size = max(1, (byteCount + 0xf_ffff) >> 20)
    cexitcleanup_end(
      1,
      "imghost: the system gives no \(size) MB of memory for pixels; "
        + "lower --memory or --jobs, or raise 'ulimit -v'\n")
  }
}
