import CISAL
import CPNG
import ImageCore
import ImageMetadata

/// A picture's metadata as PNG chunks.
struct PNGMetadata {
  private let profile: [UInt8]
  private let exif: [UInt8]
  /// The resolution in pixels per metre; nil if it is unknown, or too small or too large for the chunk.
  let phys: spng_phys?
  /// The text chunks: their types and data.
  let texts: [(StaticString, [UInt8])]

  init(_ metadata: PictureMetadata, _ layout: PictureLayout) {
    profile = ICCProfile.matches(metadata.iccProfile, layout.format.model) ? metadata.iccProfile : []
    exif = EXIFBlock.forWriting(metadata, layout)
    phys = metadata.resolution.flatMap(Self.phys)
    var texts: [(StaticString, [UInt8])] = []
    if !metadata.xmp.isEmpty { texts.append(("iTXt", PNGText.xmpData(metadata.xmp))) }
    if !metadata.iptc.isEmpty { texts.append(("tEXt", PNGText.iptcData(metadata.iptc))) }
    self.texts = texts
  }

  private static func phys(_ resolution: Resolution) -> spng_phys? {
    let across = (resolution.horizontal / 0.0254).rounded()
    let down = (resolution.vertical / 0.0254).rounded()
    let limits = 1.0...2_147_483_647
    guard limits.contains(across), limits.contains(down) else { return nil }
    return spng_phys(ppu_x: UInt32(across), ppu_y: UInt32(down), unit_specifier: 1)
  }

  /// Calls `body` with an iCCP and an eXIf chunk, each nil if there is no such metadata. Their pointers are valid
  /// during the call. libspng declares them as mutable but only reads the memory.
  func withChunks(_ body: (spng_iccp?, spng_exif?) throws(PictureError) -> Void) throws(PictureError) {
    var profile = profile
    var exif = exif
    // Swift cannot pass typed throws through two nested closures, so the inner one returns a Result.
    try profile.withUnsafeMutableBytes { profile in
      exif.withUnsafeMutableBytes { exif in
        Result { () throws(PictureError) in try body(Self.iccp(profile), Self.exif(exif)) }
      }
    }.get()
  }

  private static func iccp(_ bytes: UnsafeMutableRawBufferPointer) -> spng_iccp? {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return nil }
    var chunk = spng_iccp()
    withUnsafeMutableBytes(of: &chunk.profile_name) { name in
      name.copyBytes(from: Array("ICC Profile".utf8))
    }
    chunk.profile_len = bytes.count
    chunk.profile = base.assumingMemoryBound(to: CChar.self)
    return chunk
  }

  private static func exif(_ bytes: UnsafeMutableRawBufferPointer) -> spng_exif? {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return nil }
    return spng_exif(length: bytes.count, data: base.assumingMemoryBound(to: CChar.self))
  }
}

/// The EXIF, XMP and IPTC metadata in a PNG's chunks, before or after the pixels.
///
/// The standard allows metadata after the pixels, where ExifTool writes it. To find it, only the 8-byte headers of the
/// chunks are read, several at once for small chunks, whereas a library would have to read all pixels first. A chunk
/// with a wrong checksum is ignored; the decoder reports it.
struct PNGMetadataChunks {
  /// The contents of the first intact eXIf chunk.
  private(set) var exif: [UInt8] = []
  private(set) var xmp: [UInt8] = []
  private(set) var iptc: [UInt8] = []
  private(set) var losses: [MetadataLoss] = []

  private let source: ByteSource
  private var window: [UInt8] = []
  private var start = 0

  /// The maximum length of a text chunk that is read, in bytes as stored in the file.
  private static let textLimit = 4 << 20
  private static let keywordLimit = 80

  init(_ source: ByteSource) throws(PictureError) {
    self.source = source
    var offset = 8
    var isSmall = false
    // Chunks usually have 8 KB, so this limit still allows files of more than a gigabyte.
    for _ in 0..<200_000 {
      if offset + 8 > start + window.count {
        window = try source.bytes(at: offset, upTo: isSmall ? 4_096 : 8)
        start = offset
        guard window.count >= 8 else { return }
      }
      let header = window[(offset - start)...].prefix(8)
      let length = header.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let type = header.suffix(4)
      if type.elementsEqual("IEND".utf8) { return }
      if !type.elementsEqual("IDAT".utf8) { try take(type, at: offset + 8, length) }
      isSmall = length < 1_024
      offset += 12 + length
    }
  }

  private mutating func take(_ type: ArraySlice<UInt8>, at offset: Int, _ length: Int) throws(PictureError) {
    switch String(decoding: type, as: UTF8.self) {
    case "eXIf":
      guard exif.isEmpty else { return }
      guard length <= PNGChunkFilter.keptLimit else {
        return losses.append(.unreadable(.exif, reason: "it has \(length) bytes"))
      }
      exif = try data(type, at: offset, length) ?? []
    case "caBX": losses.append(.credentials)
    case "iTXt", "tEXt", "zTXt":
      let known = offset - start < window.count ? window[(offset - start)...] : []
      let count = min(length, Self.keywordLimit)
      let head = known.count >= count ? Array(known.prefix(count)) : try source.bytes(at: offset, upTo: count)
      guard let kind = PNGText.kind(head) else { return }
      guard length <= Self.textLimit else { return losses.append(.unreadable(kind, reason: "it has \(length) bytes")) }
      guard let data = try data(type, at: offset, length) else { return }
      guard let content = PNGText.content(type, data) else {
        return losses.append(.unreadable(kind, reason: "its text chunk is damaged or too large"))
      }
      if kind == .xmp {
        if xmp.isEmpty { xmp = content }
      } else if iptc.isEmpty {
        iptc = content
      }
    default: break
    }
  }

  /// Returns the data of a chunk; nil if the file ends before the chunk does, or if its checksum is wrong.
  private func data(_ type: ArraySlice<UInt8>, at offset: Int, _ length: Int) throws(PictureError) -> [UInt8]? {
    let bytes = try source.bytes(at: offset, upTo: length + 4)
    guard bytes.count == length + 4 else { return nil }
    let checksum = crc32_gzip_refl(crc32_gzip_refl(0, Array(type), 4), bytes, UInt64(length))
    return bytes[length...].reduce(0) { $0 << 8 | UInt32($1) } == checksum ? Array(bytes[..<length]) : nil
  }
}
