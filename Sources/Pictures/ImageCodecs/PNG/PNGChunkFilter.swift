import CISAL
import CPNG
import ImageCore

/// A filter for the chunks that libspng receives: the critical chunks, and tRNS, which affects pixels.
///
/// All other ancillary chunks are skipped in linear time, and this filter keeps the contents of iCCP and pHYs. A wrong
/// checksum in a skipped chunk loses only that chunk, not the picture. libspng itself would store all text and
/// suggested palette chunks, and would reject a file with more than 1,000 of these chunks, or with certain empty
/// chunks.
struct PNGChunkFilter {
  /// Whether the last chunk for libspng was an IDAT, and whether a skipped chunk has followed an IDAT.
  private var isAmongPixels = false
  private var hasPassedPixels = false
  /// The type of the chunk that is being skipped, its checksum so far, and, if it is kept, its bytes from the type on.
  private var type: UInt32 = 0
  private var checksum: UInt32 = 0
  private var bytes: [UInt8]?
  /// The data of the first intact chunk of each kept type.
  private(set) var kept: [UInt32: [UInt8]] = [:]
  /// The types of chunks whose checksums are wrong, each once.
  private(set) var wrong: [UInt32] = []
  private(set) var hasLargeProfile = false
  private(set) var hasSeenPixels = false

  static let profile = code("iCCP")
  static let density = code("pHYs")
  /// The maximum size of a kept chunk in bytes. On the web, a PNG has a few KB of chunks before its pixels, but a
  /// profile may have several MB.
  static let keptLimit = 16 << 20
  /// A tRNS chunk makes pixels transparent, so libspng must receive it.
  private static let shown = code("tRNS")
  private static let pixels = code("IDAT")
  /// The bit of ancillary chunks: bit 5 of the first letter (PNG, 5.4).
  private static let ancillary: UInt32 = 0x2000_0000

  /// Returns whether to skip a chunk instead of passing it to libspng.
  mutating func passesOver(_ type: UInt32, _ length: Int) throws(PictureError) -> Bool {
    let isPixels = type == Self.pixels
    if isPixels, hasPassedPixels {
      throw .codec(.damaged(String(cString: spng_strerror(Int32(SPNG_ECHUNK_POS.rawValue)))))
    }
    hasSeenPixels = hasSeenPixels || isPixels
    guard Self.isName(type), type & Self.ancillary != 0, length <= 0x7fff_ffff, type != Self.shown || length == 0 else {
      isAmongPixels = isPixels
      return false
    }
    if isAmongPixels { hasPassedPixels = true }
    (self.type, checksum) = (type, 0)
    let isWanted = (type == Self.profile || type == Self.density) && kept[type] == nil
    bytes = isWanted && length <= Self.keptLimit ? [] : nil
    if isWanted, bytes == nil { hasLargeProfile = hasLargeProfile || type == Self.profile }
    return true
  }

  /// Adds the next bytes of a skipped chunk, from its type on, to the checksum.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    checksum = crc32_gzip_refl(checksum, base, UInt64(bytes.count))
    self.bytes?.append(contentsOf: bytes)
  }

  /// Ends a skipped chunk, and compares its checksum with the one in the file.
  mutating func end(_ stated: UInt32) {
    guard stated == checksum else {
      if !wrong.contains(type) { wrong.append(type) }
      return
    }
    if let bytes { kept[type] = Array(bytes.dropFirst(4)) }
    bytes = nil
  }

  static func word(_ bytes: UnsafeRawPointer) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
  }

  /// Returns whether the type consists of four letters; libspng reports other types as damage.
  private static func isName(_ type: UInt32) -> Bool {
    [24, 16, 8, 0].allSatisfy { shift in
      let letter = UInt8(truncatingIfNeeded: type >> shift) | 0x20
      return (0x61...0x7a).contains(letter)
    }
  }

  /// Returns the type as four letters.
  static func name(_ type: UInt32) -> String {
    String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: type >> $0) }, as: UTF8.self)
  }

  static func code(_ name: StaticString) -> UInt32 {
    name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
  }
}
