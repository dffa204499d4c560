import CPoppler
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What poppler and glib say while they work, by thread, instead of on stderr.
enum LogCapture {
  fileprivate static let messages = Mutex<[UInt: [String]]>([:])
  fileprivate static let maximum = 8

  /// Begins to listen; wraps `g_log_set_default_handler`.
  static func start() { _ = g_log_set_default_handler(receiveLogMessage, nil) }

  /// What was said on this thread since the last call, each once, at most eight.
  static func take() -> [Fault] {
    let lines = messages.withLock { $0.removeValue(forKey: threadIdentifier()) ?? [] }
    return lines.map { .poppler($0) }
  }
}

private func threadIdentifier() -> UInt {
  #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
  #else
    UInt(pthread_self())
  #endif
}

/// The C callback: a free function, called on whichever thread speaks.
private func receiveLogMessage(
  _ domain: UnsafePointer<CChar>?, _ level: GLogLevelFlags, _ message: UnsafePointer<CChar>?,
  _ context: gpointer?
) {
  guard let message else { return }
  let line = String(cString: message)
  LogCapture.messages.withLock { messages in
    var lines = messages[threadIdentifier()] ?? []
    guard lines.count < LogCapture.maximum, !lines.contains(line) else { return }
    lines.append(line)
    messages[threadIdentifier()] = lines
  }
}
