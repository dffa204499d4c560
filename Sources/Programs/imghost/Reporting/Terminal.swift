import ImageCore
import Platform
import Scheduling

/// The two streams: results on standard output, messages and progress on standard error.
///
/// Lines are written whole, from any thread. A progress line stays the last one on the screen.
enum Terminal {
  private struct State {
    var progress = ""
    /// Why results could not be handed over; `errno`.
    var outputFailure: Int32?
  }
  private static let state = Monitor(State())

  static func output(_ text: String) { write(STDOUT_FILENO, text + "\n") }
  static func error(_ text: String) { write(STDERR_FILENO, text + "\n") }

  /// Why results could not be written to standard output, such as a full disk; nil where nobody read them
  /// to the end, which is no failure: `imghost ops | head -1`.
  static var outputFailure: Int32? { state.withLock { $0.outputFailure } }

  /// Whether standard error is a screen that can rewrite a line.
  static var canShowProgress: Bool {
    isatty(STDERR_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
  }

  /// Columns of the screen; 80 where that cannot be told.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Shows a line that the next one replaces; empty to remove it.
  static func progress(_ line: String) {
    state.withLock { state in
      guard state.progress != line else { return }
      state.progress = line
      put(STDERR_FILENO, "\r\u{1b}[K" + line)
    }
  }

  private static func write(_ descriptor: Int32, _ text: String) {
    state.withLock { state in
      if !state.progress.isEmpty { put(STDERR_FILENO, "\r\u{1b}[K") }
      let failure = put(descriptor, text)
      // A closed pipe is nobody's failure: nobody reads any more.
      if descriptor == STDOUT_FILENO, failure != 0, failure != EPIPE {
        state.outputFailure = failure
      }
      if !state.progress.isEmpty { put(STDERR_FILENO, state.progress) }
    }
  }

  /// Gives the `errno` of what kept it from writing all, or 0.
  @discardableResult
  private static func put(_ descriptor: Int32, _ text: String) -> Int32 {
    var text = text
    return text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
  }
}
