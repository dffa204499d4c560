import CISAL
import CPNG
import ImageCore

/// Chooses the chunks that libspng sees: those with pixels and metadata, and all chunks between pixels.
///
/// libspng keeps texts and suggested palettes, refuses files with more than 1,000 of them, and refuses some empty
/// ones. imghost does not use them, so they are skipped in linear time, with their checksums checked.
struct PNGChunkFilter {
  private let acceptsDamage: Bool
  /// Whether the last chunk had pixels, and whether a skipped chunk has followed it.
  private var isAmongPixels = false
  private var hasPassedPixels = false
  private var checksum: UInt32 = 0

  private static let used = [code("iCCP"), code("eXIf"), code("pHYs"), code("tRNS")]
  private static let pixels = code("IDAT")
  /// Bit 5 of the first letter (PNG, 5.4).
  private static let ancillary: UInt32 = 0x2000_0000

  init(acceptsDamage: Bool) { self.acceptsDamage = acceptsDamage }

  /// Whether to hide a chunk from libspng.
  mutating func passesOver(_ type: UInt32, _ length: Int) throws(PictureError) -> Bool {
    let isPixels = type == Self.pixels
    if isPixels, hasPassedPixels { throw Self.error(SPNG_ECHUNK_POS) }
    let isUseless = !Self.used.contains(type) || length == 0
    guard Self.isName(type), type & Self.ancillary != 0, length <= 0x7fff_ffff, isUseless else {
      isAmongPixels = isPixels
      return false
    }
    if isAmongPixels { hasPassedPixels = true }
    checksum = 0
    return true
  }

  /// Adds the next bytes of a skipped chunk, from its type on, to the checksum.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    checksum = crc32_gzip_refl(checksum, base, UInt64(bytes.count))
  }

  /// Compares the checksum with the one in the file.
  func end(_ stated: UInt32) throws(PictureError) {
    guard stated == checksum || acceptsDamage else { throw Self.error(SPNG_ECHUNK_CRC) }
  }

  static func word(_ bytes: UnsafeRawPointer) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
  }

  /// Whether the type is four letters; libspng reports others as damage.
  private static func isName(_ type: UInt32) -> Bool {
    [24, 16, 8, 0].allSatisfy { shift in
      let letter = UInt8(truncatingIfNeeded: type >> shift) | 0x20
      return (0x61...0x7a).contains(letter)
    }
  }

  private static func code(_ name: StaticString) -> UInt32 {
    name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
  }

  private static func error(_ code: spng_errno) -> PictureError {
    .codec(.damaged(String(cString: spng_strerror(Int32(code.rawValue)))))
  }
}
