import Platform

/// Lines that libraries print on standard error, kept for the report: libjpeg inside poppler prints there.
struct ErrorOutput {
  private let file: UnsafeMutablePointer<FILE>?

  /// Sends standard error into a file without a name; wraps `tmpfile(3)` and `dup2(2)`.
  init() {
    file = tmpfile()
    if let file { dup2(fileno(file), 2) }
  }

  /// The lines so far, of the first 64 KB.
  func lines() -> [String] {
    guard let file else { return [] }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = pread(fileno(file), &bytes, bytes.count, 0)
    return bytes[..<max(0, count)].split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
  }
}
