import ImageCore

/// The system's list of libraries: `/etc/ld.so.cache`, see ldconfig(8).
///
/// The layout is that of glibc's `sysdeps/generic/dl-cache.h`, since glibc 2.2.
struct LinkerCache {
  private static let magic = Array("glibc-ld.so.cache1.1".utf8)
  private static let oldMagic = Array("ld.so-1.7.0".utf8)
  private static let headerByteCount = 48
  private static let entryByteCount = 24
  private static let maximumByteCount = 1 << 24

  private var paths: [String: [String]] = [:]

  /// Reads the list; empty if the file is missing, damaged or of another kind.
  init(path: String = "/etc/ld.so.cache") {
    let file = try? InputFile(path: path)
    let size = min(file?.byteCount ?? 0, Self.maximumByteCount)
    self.init(bytes: file.flatMap { try? $0.bytes(at: 0, count: size) } ?? [])
  }

  init(bytes: [UInt8]) {
    var start = 0
    if bytes.count >= 16, bytes.starts(with: Self.oldMagic) {
      // An older list may come first, with entries of 12 bytes; the newer list begins at a multiple of 8 bytes.
      start = (16 + 12 * Self.number(bytes, 12) + 7) & ~7
    }
    // The offsets of strings are relative to the start of the newer list.
    let entries = start + Self.headerByteCount
    guard bytes.count >= entries, bytes[start...].starts(with: Self.magic) else { return }
    let room = (bytes.count - entries) / Self.entryByteCount
    for index in 0..<min(Self.number(bytes, start + 20), room) {
      let entry = entries + index * Self.entryByteCount
      let texts = [4, 8].map { Self.text(bytes, at: start + Self.number(bytes, entry + $0)) }
      guard let name = texts[0], let path = texts[1] else { continue }
      paths[name, default: []].append(path)
    }
  }

  /// Returns all paths of a name: one for each kind of machine and each processor level.
  func paths(_ name: String) -> [String] { paths[name] ?? [] }

  private static func text(_ bytes: [UInt8], at start: Int) -> String? {
    guard start < bytes.count, let end = bytes[start...].firstIndex(of: 0) else { return nil }
    return String(validating: bytes[start..<end], as: UTF8.self)
  }

  /// Reads a little-endian number of 4 bytes.
  private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }
}
