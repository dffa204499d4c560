import ImageCore

extension ByteSource {
  /// Returns the content of an eXIf chunk after the pixels, where the standard allows it and some tools write it;
  /// empty if there is none.
  ///
  /// Reads only chunk headers of 8 bytes, several at once for small chunks: a library would have to read all pixels
  /// first. The decoder checks the chunk's checksum later.
  func pngTrailingEXIF() throws(PictureError) -> [UInt8] {
    var offset = 8
    var (window, start) = ([UInt8](), 0)
    var isSmall = false
    // Chunks usually have 8 KB, so this many are gigabytes.
    for _ in 0..<200_000 {
      if offset + 8 > start + window.count {
        window = try bytes(at: offset, count: isSmall ? 4_096 : 8)
        start = offset
        guard window.count >= 8 else { return [] }
      }
      let header = window[(offset - start)...].prefix(8)
      let length = header.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      if header.suffix(4).elementsEqual("eXIf".utf8) {
        return length <= PNGReader.chunkLimit ? try bytes(at: offset + 8, count: length) : []
      }
      if header.suffix(4).elementsEqual("IEND".utf8) { return [] }
      isSmall = length < 1_024
      offset += 12 + length
    }
    return []
  }

  private func bytes(at offset: Int, count: Int) throws(PictureError) -> [UInt8] {
    let count = max(0, min(count, byteCount - offset))
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = try part(of: &bytes, from: done, at: offset + done)
      guard got > 0 else { return [] }
      done += got
    }
    return bytes
  }

  private func part(of bytes: inout [UInt8], from start: Int, at offset: Int) throws(PictureError) -> Int {
    do throws(FileError) {
      return try bytes.withUnsafeMutableBufferPointer { space throws(FileError) in
        try read(at: offset, into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: space[start...])))
      }
    } catch { throw .file(error) }
  }
}
