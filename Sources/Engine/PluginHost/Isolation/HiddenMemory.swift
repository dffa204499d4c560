import CShims
import Synchronization

/// Keeps this process's memory and environment from other processes of the same user while workers live: without
/// it `/proc/PID/mem` is open to them where there is no Landlock. Core dumps and debuggers that attach have to wait
/// as long.
enum HiddenMemory {
  private static let state = Mutex((workers: 0, before: Int32(1)))

  /// Called before a worker starts.
  static func hide() {
    state.withLock { state in
      if state.workers == 0 {
        state.before = shim_dumpable()
        _ = shim_set_dumpable(0)
      }
      state.workers += 1
    }
  }

  /// Called when it has ended; the last one restores what was.
  static func show() {
    state.withLock { state in
      state.workers -= 1
      // Only 1 can be set again: 2 is the system's own word for a program with more rights than its user.
      if state.workers == 0 && state.before == 1 { _ = shim_set_dumpable(1) }
    }
  }
}
