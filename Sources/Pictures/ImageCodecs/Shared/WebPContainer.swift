import ImageCore

/// Reads and replaces the metadata of a WebP file (RFC 9649) without decoding it.
package enum WebPContainer {
  private struct Chunk {
    let tag: String
    /// The range of the chunk, including its header and padding.
    let place: Range<Int>
    let contentByteCount: Int
  }

  private static let mostChunks = 100_000
  private static let (profileFlag, alphaFlag, exifFlag, xmpFlag) = (UInt8(0x20), UInt8(0x10), UInt8(0x08), UInt8(0x04))

  /// Returns the chunks; nil if the file is damaged or not a WebP.
  private static func chunks(of file: InputFile) -> [Chunk]? {
    guard let start = try? file.bytes(at: 0, count: 12), start.count == 12, start.starts(with: "RIFF".utf8),
      start[8...].elementsEqual("WEBP".utf8), number(start[4..<8]) == file.byteCount - 8
    else { return nil }
    var chunks: [Chunk] = []
    var place = 12
    while place < file.byteCount, chunks.count < mostChunks {
      guard let head = try? file.bytes(at: place, count: 8), head.count == 8 else { return nil }
      let count = number(head[4...])
      let end = place + 8 + count + count % 2
      guard end <= file.byteCount else { return nil }
      chunks.append(
        Chunk(tag: String(decoding: head[..<4], as: UTF8.self), place: place..<end, contentByteCount: count))
      place = end
    }
    return place == file.byteCount ? chunks : nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }

  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Returns the places of the file's size and of the EXIF, XMP and VP8X chunks; nil if the file is damaged or not a
  /// WebP. See `PictureCodec.metadataPlaces`.
  package static func metadataPlaces(in file: InputFile) -> MetadataPlaces? {
    guard let chunks = chunks(of: file) else { return nil }
    // Sizes and flags count as metadata, because `PictureHeader` states what they say of the pixels.
    return MetadataPlaces(
      [4..<8]
        + chunks.compactMap { chunk in
          switch chunk.tag {
          case "EXIF", "XMP ", "VP8X": chunk.place
          default: nil
          }
        })
  }

  /// Writes a file of one picture with other metadata, in the layout of libwebpmux. Empty metadata is left out.
  ///
  /// - Returns: false if the existing file does not have this layout.
  package static func rewrite(
    _ file: InputFile, to sink: any ByteSink, profile: [UInt8], exif: [UInt8], xmp: [UInt8]
  ) throws(PictureError) -> Bool {
    guard let chunks = chunks(of: file) else { return false }
    func content(_ tag: String) throws(PictureError) -> [UInt8] {
      guard let chunk = chunks.first(where: { $0.tag == tag }) else { return [] }
      return try ByteSource.file(file).bytes(at: chunk.place.lowerBound + 8, upTo: chunk.contentByteCount)
    }
    let pixels = chunks.filter { ["ALPH", "VP8 ", "VP8L"].contains($0.tag) }
    guard let last = pixels.last, let first = pixels.first,
      pixels.map(\.tag) == ["ALPH", "VP8 "] || pixels.count == 1 && last.tag != "ALPH",
      let head = try? file.bytes(at: last.place.lowerBound + 8, count: 10), head.count == 10
    else { return false }
    let frame = Frame(
      place: first.place.lowerBound..<last.place.upperBound, isLossless: last.tag == "VP8L", hasAlpha: pixels.count > 1,
      head)
    let own = frame.parts(profile: try content("ICCP"), exif: try content("EXIF"), xmp: try content("XMP "))
    guard own.head.count + frame.place.count + own.tail.count == file.byteCount,
      try ByteSource.file(file).bytes(at: 0, upTo: own.head.count) == own.head
    else { return false }
    let new = frame.parts(profile: profile, exif: exif, xmp: xmp)
    try sink.write(new.head)
    try ByteSource.file(file).copy(frame.place, to: sink)
    try sink.write(new.tail)
    return true
  }

  /// The compressed pixels: the `VP8 ` or `VP8L` chunk, and an `ALPH` chunk before it if there is one.
  private struct Frame {
    let place: Range<Int>
    private let hasAlpha: Bool
    private let needsFlags: Bool
    /// The width and the height, each less 1, as 24 bits.
    private let size: [UInt8]

    /// - Parameter head: the first bytes in the VP8 or VP8L chunk; see RFC 6386, 9.1, or RFC 9649, 3.4.
    init(place: Range<Int>, isLossless: Bool, hasAlpha: Bool, _ head: [UInt8]) {
      self.place = place
      needsFlags = hasAlpha
      if isLossless {
        let bits = number(head[1..<5])
        self.hasAlpha = bits >> 28 & 1 == 1
        size = bytes(bits & 0x3fff, 3) + bytes(bits >> 14 & 0x3fff, 3)
      } else {
        self.hasAlpha = hasAlpha
        size = bytes((number(head[6..<8]) & 0x3fff) - 1, 3) + bytes((number(head[8..<10]) & 0x3fff) - 1, 3)
      }
    }

    /// Returns the bytes before and after the pixels.
    func parts(profile: [UInt8], exif: [UInt8], xmp: [UInt8]) -> (head: [UInt8], tail: [UInt8]) {
      let tail = chunk("EXIF", exif) + chunk("XMP ", xmp)
      var head = chunk("ICCP", profile)
      if needsFlags || !head.isEmpty || !tail.isEmpty {
        let flags =
          (profile.isEmpty ? 0 : profileFlag) | (hasAlpha ? alphaFlag : 0) | (exif.isEmpty ? 0 : exifFlag)
          | (xmp.isEmpty ? 0 : xmpFlag)
        head = chunk("VP8X", [flags, 0, 0, 0] + size) + head
      }
      let byteCount = 4 + head.count + place.count + tail.count
      return (Array("RIFF".utf8) + bytes(byteCount, 4) + Array("WEBP".utf8) + head, tail)
    }

    private func chunk(_ tag: String, _ content: [UInt8]) -> [UInt8] {
      guard !content.isEmpty else { return [] }
      return Array(tag.utf8) + bytes(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
    }
  }
}
