import CPoppler
import Platform
import Synchronization

/// Captures the messages of poppler and glib per thread, and keeps them off standard error.
enum LogCapture {
  fileprivate static let messages = Mutex<[UInt: [String]]>([:])
  fileprivate static let maximum = 8

  /// Starts capturing; wraps `g_log_set_default_handler`.
  static func start() { _ = g_log_set_default_handler(receiveLogMessage, nil) }

  /// Returns and removes the messages on this thread: at most eight, without duplicates.
  static func take() -> [Fault] { withoutDetour(takeLines()).map { .poppler(.message($0)) } }

  /// Returns and removes the messages on this thread as lines, which `hear` can restore later.
  static func takeLines() -> [String] { messages.withLock { $0.removeValue(forKey: threadIdentifier) ?? [] } }

  /// Adds a line as if it had just been logged on this thread.
  static func hear(_ line: String) {
    messages.withLock { messages in
      var lines = messages[threadIdentifier] ?? []
      guard lines.count < maximum, !lines.contains(line) else { return }
      lines.append(line)
      messages[threadIdentifier] = lines
    }
  }

  /// Removes the messages of poppler's attempt to read JPEG 2000 data as a JP2 if the data is a raw codestream, which
  /// poppler tries next. These messages say nothing about the file.
  private static func withoutDetour(_ lines: [String]) -> [String] {
    guard lines.contains(where: { $0.contains("trying as J2K") }),
      !lines.contains(where: { $0.contains("opening JPX Stream as J2K") })
    else { return lines }
    let detour = ["first box must be JPEG 2000 signature", "Unable to read header", "trying as J2K"]
    return lines.filter { line in !detour.contains { line.contains($0) } }
  }
}

/// The C callback: a free function, called on the thread that logs.
private func receiveLogMessage(
  _ domain: UnsafePointer<CChar>?, _ level: GLogLevelFlags, _ message: UnsafePointer<CChar>?, _ context: gpointer?
) {
  guard let message else { return }
  var line = String(cString: message)
  // Poppler escapes control characters. This one is the line feed at the end of an exception's message.
  if line.hasSuffix("<0a>") { line.removeLast(4) }
  LogCapture.hear(line)
}
