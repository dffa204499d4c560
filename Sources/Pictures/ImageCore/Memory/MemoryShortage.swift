import CEnding
import Synchronization

/// The end of a process that the system gives no memory for pixels.
///
/// Rows are wanted in the midst of operations and codecs, which have no way on without them.
public enum MemoryShortage {
  private static let farewell = Mutex<(@Sendable () -> Void)?>(nil)

  /// Sets what is done before the process ends.
  public static func onEnd(_ body: @escaping @Sendable () -> Void) {
    farewell.withLock { $0 = body }
  }

  /// Says so in one line, removes temporary files, and ends the process with status 1.
  static func end(_ byteCount: Int) -> Never {
    farewell.withLock { $0 }?()
    let size = max(1, (byteCount + 0xf_ffff) >> 20)
    cending_end(
      1,
      "imghost: the system gives no \(size) MB of memory for pixels; "
        + "lower --memory or --jobs, or raise 'ulimit -v'\n")
  }
}
