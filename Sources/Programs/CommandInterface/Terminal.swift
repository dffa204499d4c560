import ImageCore
import Platform
import Scheduling

/// The two output streams: results on standard output, messages and progress on standard error.
///
/// Lines are written whole, from any thread. A progress line always remains the last one on the screen.
package enum Terminal {
  private struct State {
    var progress = ""
    /// The `errno` of a failure to write results.
    var outputFailure: Int32?
  }
  private static let state = Monitor(State())

  package static func output(_ text: String) { write(STDOUT_FILENO, text + "\n") }
  package static func error(_ text: String, _ tone: Tone = .plain) { write(STDERR_FILENO, styled(text, tone) + "\n") }

  /// The kind of a line on standard error. A terminal shows it by the colour of the line's beginning.
  package enum Tone: Sendable { case plain, failure, note }

  /// Whether standard error is a terminal that may show colours: https://no-color.org
  private static let showsColour: Bool = {
    let isRefused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    return canShowProgress && !isRefused
  }()

  /// Returns the text with its beginning, such as `book.lua:3:`, in the colour of its kind.
  private static func styled(_ text: String, _ tone: Tone) -> String {
    guard tone != .plain, showsColour, let end = text.firstRange(of: ": ")?.lowerBound else { return text }
    let code = tone == .failure ? "1;31" : "1;36"
    return "\u{1b}[\(code)m\(text[..<end]):\u{1b}[0m" + text[text.index(after: end)...]
  }

  /// The `errno` of a failure to write results to standard output, such as a full disk; nil if there was none.
  ///
  /// A closed pipe is not a failure: `imghost ops | head -1`.
  package static var outputFailure: Int32? { state.withLock { $0.outputFailure } }

  /// Whether standard error is a terminal that can rewrite a line.
  package static var canShowProgress: Bool {
    isatty(STDERR_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
  }

  /// The width of the terminal on standard error in columns; 80 if unknown.
  package static var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// The width of help and lists in columns, between 40 and 100: that in the environment variable COLUMNS, else that of
  /// the terminal on standard output, else 100.
  package static let textWidth: Int = {
    if let text = getenv("COLUMNS"), let columns = Int(String(cString: text)), columns > 0 {
      return min(100, max(40, columns))
    }
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
    else { return 100 }
    return min(100, max(40, Int(size.ws_col)))
  }()

  /// Shows a line that the next one replaces. An empty text removes it.
  package static func progress(_ line: String) {
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
      if descriptor == STDOUT_FILENO, failure != 0, failure != EPIPE { state.outputFailure = failure }
      if !state.progress.isEmpty { put(STDERR_FILENO, state.progress) }
    }
  }

  /// Writes a text, and returns the `errno` of a failure, or 0.
  @discardableResult
  private static func put(_ descriptor: Int32, _ text: String) -> Int32 {
    var text = text
    return text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
  }
}
