import CISAL
import ImageCore

/// The metadata in a PNG's chunks before or after the pixels, except for the ICC profile.
///
/// The standard allows metadata after the pixels, where ExifTool writes them. To find them, only the 8-byte headers of
/// the chunks are read, several at once for small chunks, whereas a library would have to read all pixels first. A
/// chunk with a wrong checksum is ignored; the decoder reports it.
struct PNGMetadataChunks {
  /// The contents of the first eXIf chunk.
  private(set) var exif: [UInt8] = []
  private(set) var xmp: [UInt8] = []
  private(set) var iptc: [UInt8] = []
  private(set) var losses: [MetadataLoss] = []

  private let source: ByteSource
  private var window: [UInt8] = []
  private var start = 0

  /// The maximum size of texts that are read, as stored.
  private static let textLimit = 4 << 20
  private static let keywordLimit = 80

  init(_ source: ByteSource) throws(PictureError) {
    self.source = source
    var offset = 8
    var isSmall = false
    // Chunks usually have 8 KB, so this limit allows gigabytes.
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

  /// Returns the data of a chunk; nil if its checksum is wrong.
  private func data(_ type: ArraySlice<UInt8>, at offset: Int, _ length: Int) throws(PictureError) -> [UInt8]? {
    let bytes = try source.bytes(at: offset, upTo: length + 4)
    guard bytes.count == length + 4 else { return nil }
    let checksum = crc32_gzip_refl(crc32_gzip_refl(0, Array(type), 4), bytes, UInt64(length))
    return bytes[length...].reduce(0) { $0 << 8 | UInt32($1) } == checksum ? Array(bytes[..<length]) : nil
  }
}
