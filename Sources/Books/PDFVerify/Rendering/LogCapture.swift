import CPoppler
import Platform
import Synchronization

/// Messages of poppler and glib while they work, kept by thread instead of printed on stderr.
enum LogCapture {
  fileprivate static let messages = Mutex<[UInt: [String]]>([:])
  fileprivate static let maximum = 8

  /// Begins to listen; wraps `g_log_set_default_handler`.
  static func start() { _ = g_log_set_default_handler(receiveLogMessage, nil) }

  /// Returns the messages on this thread since the last call, each once, at most eight.
  static func take() -> [Fault] { withoutDetour(takeLines()).map { .poppler(.message($0)) } }

  /// The same, to be heard later.
  static func takeLines() -> [String] { messages.withLock { $0.removeValue(forKey: threadIdentifier) ?? [] } }

  /// Takes a line as said on this thread now.
  static func hear(_ line: String) {
    messages.withLock { messages in
      var lines = messages[threadIdentifier] ?? []
      guard lines.count < maximum, !lines.contains(line) else { return }
      lines.append(line)
      messages[threadIdentifier] = lines
    }
  }

  /// Poppler takes all JPEG 2000 for a JP2 first; what it says when a codestream without one is then read
  /// says nothing of the file.
  private static func withoutDetour(_ lines: [String]) -> [String] {
    guard lines.contains(where: { $0.contains("trying as J2K") }),
      !lines.contains(where: { $0.contains("opening JPX Stream as J2K") })
    else { return lines }
    let detour = ["first box must be JPEG 2000 signature", "Unable to read header", "trying as J2K"]
    return lines.filter { line in !detour.contains { line.contains($0) } }
  }
}

/// The C callback: a free function, called on whichever thread speaks.
private func receiveLogMessage(
  _ domain: UnsafePointer<CChar>?, _ level: GLogLevelFlags, _ message: UnsafePointer<CChar>?, _ context: gpointer?
) {
  guard let message else { return }
  var line = String(cString: message)
  // Poppler writes control characters so; this one ends the message of an exception.
  if line.hasSuffix("<0a>") { line.removeLast(4) }
  LogCapture.hear(line)
}
