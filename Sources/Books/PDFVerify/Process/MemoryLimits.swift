/// The limits that keep checks within the memory they may take.
struct MemoryLimits: Sendable {
  /// Bytes for all pages in work; a page that takes more is not rendered.
  let bytes: Int
  /// Pixels that are rendered at a time: 64 MB, and less where memory is short.
  var bandPixels: Int { max(1 << 18, min(16 << 20, bytes / 32)) }
  /// Pixels up to which a stored picture is decoded at once; more are decoded as they are compared.
  var wholePixels: Int { max(1 << 18, min(32 << 20, bytes / 16)) }

  /// The memory of the program, its libraries and fonts beside pages, with what `malloc` keeps.
  private static let programBytes = 192 << 20
  /// The memory that the whole process may take on top of what it had.
  var processBytes: Int { bytes + Self.programBytes }
}
