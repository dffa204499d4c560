/// Limits on the memory of checks.
struct MemoryLimits: Sendable {
  /// Bytes for all pages being checked; a page that needs more is not rendered.
  let bytes: Int
  /// Pixels that are rendered at a time: 64 MB, or less if memory is short.
  var bandPixels: Int { max(1 << 18, min(16 << 20, bytes / 32)) }
  /// The most pixels of a stored picture that is decoded at once; larger ones are decoded while they are compared.
  var wholePixels: Int { max(1 << 18, min(32 << 20, bytes / 16)) }

  /// Bytes for the program, its libraries and fonts, and the heap's overhead.
  private static let programBytes = 192 << 20
  /// Bytes that the whole process may use in addition to what it had at the start.
  var processBytes: Int { bytes + Self.programBytes }
}
