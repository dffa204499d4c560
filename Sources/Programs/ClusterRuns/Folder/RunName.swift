import ImageCore
import Platform

/// The name of a run on a cluster: `book-20261125-173126-3f9a1c`.
///
/// Its jobs have this name, too. Slurm reuses job numbers after a controller has lost its state, so a job belongs to a
/// run only if it has the run's name.
package struct RunName: Sendable, Hashable {
  package let text: String

  private static let jobPrefix = "imghost-"
  private static let mergeSuffix = "-merge"

  /// Creates a name from the name of the script, the current time, and random digits.
  package static func make(script: String) -> RunName {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    let numbers = [
      digits(Int(parts.tm_year) + 1900, 4) + digits(Int(parts.tm_mon) + 1, 2) + digits(Int(parts.tm_mday), 2),
      digits(Int(parts.tm_hour), 2) + digits(Int(parts.tm_min), 2) + digits(Int(parts.tm_sec), 2),
      digits(Int.random(in: 0..<1 << 24), 6, radix: 16),
    ]
    return RunName(unchecked: ([stem(of: script)] + numbers).joined(separator: "-"))
  }

  /// Checks a name that a user gives; returns nil if no run can have it.
  package init?(_ text: String) {
    guard !text.isEmpty, text.utf8.first != UInt8(ascii: "."), text.utf8.allSatisfy(Self.isPlain) else { return nil }
    self.text = text
  }

  private init(unchecked text: String) { self.text = text }

  /// The name of the array job of shards in the queue.
  package var arrayJob: String { Self.jobPrefix + text }
  /// The name of the merge job in the queue.
  package var mergeJob: String { arrayJob + Self.mergeSuffix }

  /// Returns the script's name without characters that have a special meaning in job names, folders or shells.
  private static func stem(of script: String) -> String {
    let name = PathName.stem(String(PathName.name(script)))
    let bytes = name.utf8.map { isPlain($0) ? $0 : UInt8(ascii: "-") }.drop { !isLetterOrDigit($0) }.prefix(32)
    return bytes.isEmpty ? "run" : String(decoding: bytes, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || "-_.".utf8.contains(byte) }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private static func digits(_ number: Int, _ count: Int, radix: Int = 10) -> String {
    let text = String(number, radix: radix)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
