import ImageCore
import Platform
import Synchronization

/// Shows the progress of long documents on standard error.
final class Progress: Sendable {
  enum Mode: String { case auto, always, never }

  private let descriptor: Int32
  private let name: String
  private let isTerminal: Bool
  private let isOn: Bool
  private let start: Int
  /// The time of the last progress line in milliseconds; 0 if there is none.
  private let last = Atomic(0)
  /// The time in milliseconds before the first progress line; 0 if progress is always shown.
  private let patience: Int
  /// The minimum time in milliseconds between two progress lines.
  private static let interval = 250

  /// Keeps a copy of standard error, which is redirected to a file later.
  init(_ mode: Mode, path: String) {
    descriptor = fcntl(2, F_DUPFD_CLOEXEC, 3)
    name = String(PathName.name(path))
    isTerminal = isatty(2) == 1
    patience = mode == .always ? 0 : 1_000
    isOn = descriptor >= 0 && (mode == .always || (mode == .auto && isTerminal))
    start = Self.now()
  }

  deinit { close(descriptor) }

  /// Shows the number of finished pages, at most four times a second. Called after each page, on any thread.
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

  /// Writes a line to the original standard error.
  func complain(_ text: String) { write("imghost-verify: \(text)\n") }

  /// Removes the progress line before the report.
  func end() { if isOn, isTerminal, last.load(ordering: .relaxed) != 0 { write("\r\u{1b}[K") } }

  private func put(_ line: String) { write(isTerminal ? "\r\u{1b}[K" + line : line + "\n") }

  private func write(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { writeAll($0, to: descriptor) } }

  private static func now() -> Int { Int(awakeNanoseconds() / 1_000_000) }
}
