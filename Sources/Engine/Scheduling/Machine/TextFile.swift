import Platform

/// Returns the first 64 KB of a text file such as those in `/proc` and `/sys`; nil if it cannot be read.
func textFile(_ path: String) -> String? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  while bytes.count < 65_536 {
    var count = 0
    let part = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, filled in
      count = read(descriptor, buffer.baseAddress, buffer.count)
      filled = max(0, count)
    }
    guard count >= 0 else { return nil }
    bytes += part
    if count < 4_096 { break }
  }
  return String(decoding: bytes, as: UTF8.self)
}

extension Substring {
  /// Returns the parts between separator bytes, without empty ones. Splitting by characters would take ten times as
  /// long.
  func parts(between separators: UInt8...) -> [Substring] {
    utf8.split(whereSeparator: separators.contains).map(Substring.init)
  }

  /// The parts between white space.
  var words: [Substring] { parts(between: UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t")) }

  /// The lines, without empty ones.
  var lines: [Substring] { parts(between: UInt8(ascii: "\n")) }
}

extension String {
  var words: [Substring] { self[...].words }
  var lines: [Substring] { self[...].lines }
}
