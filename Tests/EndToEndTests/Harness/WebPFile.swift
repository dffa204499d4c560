/// A WebP file with one picture, to which chunks can be added.
struct WebPFile {
  /// The file as it was written, without a VP8X chunk.
  let plain: [UInt8]
  let width: Int
  let height: Int

  /// Returns the file with a chunk of metadata: `EXIF` or `XMP ` (WebP Container Specification, "Extended File Format").
  func with(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let flags: UInt8 = name == "EXIF" ? 0x08 : 0x04
    let head = [flags, 0, 0, 0] + number(width - 1, 3) + number(height - 1, 3)
    let body = Array("WEBP".utf8) + chunk("VP8X", head) + plain[12...] + chunk(name, data)
    return Array("RIFF".utf8) + number(body.count, 4) + body
  }

  private func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    Array(name.utf8) + number(data.count, 4) + data + [UInt8](repeating: 0, count: data.count % 2)
  }

  private func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
