import Platform

/// The processor and the operating system, for report pages.
package enum MachineFacts {
  /// The model, such as `AMD EPYC 9R14`; nil if the system does not provide it.
  package static var processor: String? { field("model name", of: "/proc/cpuinfo", separator: ":") }

  /// The operating system: `Debian GNU/Linux 12 (bookworm), Linux 6.1.0 x86_64`. Wraps `uname(2)`.
  package static var system: String {
    var name = utsname()
    guard uname(&name) == 0 else { return "unknown" }
    let kernel = [text(name.sysname), text(name.release), text(name.machine)].joined(separator: " ")
    guard let title = field("PRETTY_NAME", of: "/etc/os-release", separator: "=") else { return kernel }
    return title.filter { $0 != "\"" } + ", " + kernel
  }

  /// Returns the local time with its offset: `2026-11-26 13:45:07+0100`. Wraps `strftime(3)`.
  package static func localTime() -> String {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S%z", &parts)
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func text<Field>(_ field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// Returns the first value of a key in a file with lines of the form `key separator value`.
  private static func field(_ key: String, of path: String, separator: Character) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: separator, maxSplits: 1)
      if parts.count == 2, trimmed(parts[0]) == key { return trimmed(parts[1]) }
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0.isWhitespace }
    return String(start.prefix(start.count - start.reversed().prefix { $0.isWhitespace }.count))
  }
}
