import ImageCore
import Platform
import Synchronization

/// Says on standard error how far a long document is.
final class Progress: Sendable {
  enum Mode: String { case auto, always, never }

  private let descriptor: Int32
  private let name: String
  private let isTerminal: Bool
  private let isOn: Bool
  private let start: Int
  /// Milliseconds: when the last line was written, 0 for none.
  private let last = Atomic(0)
  /// Milliseconds before there is anything to say, 0 where it is wanted always, and between two lines.
  private let patience: Int
  private static let interval = 250

  /// Standard error as it is now: later it is a file.
  init(_ mode: Mode, path: String) {
    descriptor = fcntl(2, F_DUPFD_CLOEXEC, 3)
    name = String(PathName.name(path))
    isTerminal = isatty(2) == 1
    patience = mode == .always ? 0 : 1_000
    isOn = descriptor >= 0 && (mode == .always || (mode == .auto && isTerminal))
    start = Self.now()
  }

  deinit { close(descriptor) }

  /// Shows the number of pages done, after each page and on any thread. A call while another writes does nothing.
  func page(_ done: Int, of pages: Int) {
    guard isOn else { return }
    let now = Self.now()
    let before = last.load(ordering: .relaxed)
    let isDue = before == 0 ? now - start >= patience : now - before >= Self.interval
    guard isDue,
      last.compareExchange(expected: before, desired: now, ordering: .relaxed).exchanged
    else { return }
    put("\(name): \(done) of \(pages) pages checked")
  }

  /// A line on what was standard error.
  func complain(_ text: String) { write("imghost-verify: \(text)\n") }

  /// Makes room for the report.
  func end() { if isOn, isTerminal, last.load(ordering: .relaxed) != 0 { write("\r\u{1b}[K") } }

  private func put(_ line: String) { write(isTerminal ? "\r\u{1b}[K" + line : line + "\n") }

  private func write(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { writeAll($0, to: descriptor) } }

  private static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
  }
}
