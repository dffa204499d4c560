import ImageCore

extension EXIFBlock {
  /// The block to write with a picture: the one it came with, made true of the new pixels, or a minimal
  /// one where only the orientation must be said.
  static func forWriting(_ metadata: PictureMetadata, _ layout: PictureLayout) -> [UInt8] {
    if metadata.exifBlock.isEmpty {
      return metadata.orientation == .upright ? [] : minimal(metadata.orientation)
    }
    return rewritten(
      metadata.exifBlock, orientation: metadata.orientation, width: layout.width,
      height: layout.height)
  }

  /// The block with other facts about the pixels and without its thumbnail, which would show the picture
  /// as it was, also what has been cropped away. Empty if it is no EXIF block.
  ///
  /// Offsets in a block are absolute, maker notes' often undocumented: so nothing moves, values are
  /// changed where they stand.
  static func rewritten(_ block: [UInt8], orientation: Orientation, width: Int, height: Int)
    -> [UInt8]
  {
    guard let reader = TIFFReader(block), let main = reader.firstDirectory else { return [] }
    var editor = TIFFEditor(reader)
    editor.set(EXIFTags.orientation, in: main, to: orientation.rawValue)
    if let exif = subdirectory(EXIFTags.exifDirectory, of: main, reader) {
      editor.set(EXIFTags.pixelWidth, in: exif, to: width)
      editor.set(EXIFTags.pixelHeight, in: exif, to: height)
    }
    editor.removeThumbnail(after: main)
    return editor.bytes
  }

  /// Only the orientation: a big-endian header, a directory of one entry, no next.
  static func minimal(_ orientation: Orientation) -> [UInt8] {
    [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1]
      + [0, UInt8(orientation.rawValue), 0, 0, 0, 0, 0, 0]
  }
}

/// Changes values of a TIFF structure in place.
struct TIFFEditor {
  private let reader: TIFFReader
  private(set) var bytes: [UInt8]

  init(_ reader: TIFFReader) {
    self.reader = reader
    self.bytes = reader.bytes
  }

  /// Sets a single whole number, where the directory has the tag as one.
  mutating func set(_ tag: Int, in directory: TIFFReader.Directory, to value: Int) {
    for entry in directory.entries where entry.tag == tag && entry.count == 1 {
      switch entry.type {
      case 3: put(UInt64(clamping: value) & 0xffff, size: 2, at: entry.offset)
      case 4: put(UInt64(clamping: value) & 0xffff_ffff, size: 4, at: entry.offset)
      default: break
      }
    }
  }

  /// Unlinks the second directory, which describes the thumbnail, and removes the thumbnail's bytes: off
  /// the end where they stand last, else they become 0.
  mutating func removeThumbnail(after main: TIFFReader.Directory) {
    guard main.next != 0, main.linkOffset + 4 <= bytes.count else { return }
    put(0, size: 4, at: main.linkOffset)
    guard let second = reader.directory(at: main.next),
      let start = number(EXIFTags.thumbnailOffset, second),
      let length = number(EXIFTags.thumbnailLength, second),
      length > 0, start + length <= bytes.count, !isKept(start..<start + length, main)
    else { return }
    for index in start..<start + length { bytes[index] = 0 }
    if start + length == bytes.count { bytes.removeSubrange(start...) }
  }

  private func number(_ tag: Int, _ directory: TIFFReader.Directory) -> Int? {
    directory.entries.first { $0.tag == tag }.flatMap { reader.numbers($0).first }.map { Int($0) }
  }

  /// Whether the header, a directory or a value that stays has bytes in the range.
  private func isKept(_ range: Range<Int>, _ main: TIFFReader.Directory) -> Bool {
    func below(_ tag: Int, _ directory: TIFFReader.Directory?) -> TIFFReader.Directory? {
      directory.flatMap { EXIFBlock.subdirectory(tag, of: $0, reader) }
    }
    let exif = below(EXIFTags.exifDirectory, main)
    let kept = [
      main, exif, below(EXIFTags.gpsDirectory, main), below(EXIFTags.interoperability, exif),
    ]
    return range.lowerBound < 8
      || kept.compactMap(\.self).contains { directory in
        (directory.offset..<directory.linkOffset + 4).overlaps(range)
          || directory.entries.contains {
            ($0.offset..<$0.offset + $0.byteCount).overlaps(range)
          }
      }
  }

  private mutating func put(_ value: UInt64, size: Int, at offset: Int) {
    for index in 0..<size {
      let shift = reader.isLittleEndian ? index * 8 : (size - 1 - index) * 8
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(shift))
    }
  }
}
