import ImageCore

/// The directory of a TIFF or BigTIFF file with a single directory (TIFF 6.0, section 2). It separates metadata from
/// pixels without libtiff.
///
/// A directory describes both, and programs that edit metadata also move the pixels inside the file. Therefore pixels
/// are identified by the bytes of strips or tiles, and by the values of all fields that are not known to be metadata,
/// except for the positions of the strips.
package struct TIFFContainer {
  private struct Entry {
    let tag: Int
    let type: Int
    let count: Int
    /// The range of the values, which is inside the file.
    let values: Range<Int>
  }

  private let file: InputFile
  private let isLittleEndian: Bool
  private let isBig: Bool
  private var entries: [Entry] = []

  private static let mostEntries = 1_000
  private static let mostStrips = 1 << 20
  private static let mostFieldBytes = 16 << 20

  /// The sizes of values by their types (TIFF 6.0, page 15, and BigTIFF); 0 for a type that does not exist.
  private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]

  private enum Tag {
    static let (width, height, bits, compression, photometric) = (256, 257, 258, 259, 262)
    static let (samples, stripRows, planes) = (277, 278, 284)
    static let (strips, stripCounts, tiles, tileCounts) = (273, 279, 324, 325)
    static let below = 330
    /// The fields of old-style JPEG compression, which contain further positions.
    static let oldJPEG = 512...521
    /// Texts, fields of Windows, XMP, IPTC, Photoshop's resources and layers, content credentials, EXIF and GPS. The
    /// facts about pixels that imghost reads from them are in `PictureHeader`.
    static let metadata: Set<Int> = [
      269, 270, 271, 272, 305, 306, 315, 316, 0x4746, 0x4749, 33_432, 0x9c9b, 0x9c9c, 0x9c9d, 0x9c9e, 0x9c9f, 700,
      33_723, 34_377, 37_724, 0xcd41, 34_665, 34_853,
    ]
  }

  private static let (uncompressed, oldJPEG, subsampled) = (1, 6, 6)

  /// Returns everything outside strips and tiles; see `PictureCodec.metadataPlaces`. Nil for files with several pages
  /// or sizes, for files whose strips are out of order or might be read differently by libtiff, and for damaged files.
  package static func metadataPlaces(in file: InputFile) -> MetadataPlaces? {
    guard let container = TIFFContainer(file), let strips = container.strips, let fields = container.fields(strips)
    else { return nil }
    var places: [Range<Int>] = []
    var end = 0
    for strip in strips + [file.byteCount..<file.byteCount] {
      guard strip.lowerBound >= end else { return nil }
      if strip.lowerBound > end { places.append(end..<strip.lowerBound) }
      end = strip.upperBound
    }
    return MetadataPlaces(places, fields: fields)
  }

  /// Reads the directory; nil if the file is not a TIFF, or if its directory is damaged or is followed by another.
  private init?(_ file: InputFile) {
    self.file = file
    switch Self.bytes(of: file, 0, 4) {
    case [0x49, 0x49, 42, 0]?: (isLittleEndian, isBig) = (true, false)
    case [0x4d, 0x4d, 0, 42]?: (isLittleEndian, isBig) = (false, false)
    case [0x49, 0x49, 43, 0]?: (isLittleEndian, isBig) = (true, true)
    case [0x4d, 0x4d, 0, 43]?: (isLittleEndian, isBig) = (false, true)
    default: return nil
    }
    let (word, head, step) = isBig ? (8, 8, 20) : (4, 2, 12)
    guard let start = number(at: isBig ? 8 : 4, word), let count = number(at: start, head),
      (1...Self.mostEntries).contains(count),
      let table = Self.bytes(of: file, start + head, count * step + word),
      number(table[(count * step)...]) == 0
    else { return nil }
    for index in 0..<count {
      guard let entry = entry(table[index * step..<(index + 1) * step], at: start + head + index * step),
        entry.tag > entries.last?.tag ?? 0
      else { return nil }
      entries.append(entry)
    }
  }

  private func entry(_ bytes: ArraySlice<UInt8>, at place: Int) -> Entry? {
    let (start, word) = (bytes.startIndex, isBig ? 8 : 4)
    guard let tag = number(bytes[start..<start + 2]), let type = number(bytes[start + 2..<start + 4]),
      Self.sizes.indices.contains(type), Self.sizes[type] > 0,
      let count = number(bytes[(start + 4)...].prefix(word)), count <= file.byteCount / Self.sizes[type],
      let offset = count * Self.sizes[type] <= word ? place + 4 + word : number(bytes.suffix(word)),
      offset <= file.byteCount - count * Self.sizes[type]
    else { return nil }
    return Entry(tag: tag, type: type, count: count, values: offset..<offset + count * Self.sizes[type])
  }

  /// Returns `count` bytes; nil if they are not all inside the file.
  private static func bytes(of file: InputFile, _ place: Int, _ count: Int) -> [UInt8]? {
    guard place >= 0, place <= file.byteCount, count <= file.byteCount - place,
      let bytes = try? file.bytes(at: place, count: count), bytes.count == count
    else { return nil }
    return bytes
  }

  private func number(at place: Int, _ count: Int) -> Int? {
    Self.bytes(of: file, place, count).flatMap { number($0[...]) }
  }

  private func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    let value: UInt64 =
      isLittleEndian
      ? bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } : bytes.reduce(0) { $0 << 8 | UInt64($1) }
    return Int(exactly: value)
  }

  /// Returns the values of a field of unsigned integers; nil if the field is missing or empty, or has another type or
  /// too many values.
  private func numbers(_ tag: Int) -> [Int]? {
    guard let entry = entries.first(where: { $0.tag == tag }), [3, 4, 16].contains(entry.type),
      (1...Self.mostStrips).contains(entry.count),
      let bytes = Self.bytes(of: file, entry.values.lowerBound, entry.values.count)
    else { return nil }
    let size = Self.sizes[entry.type]
    var numbers: [Int] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      guard let number = number(bytes[start..<start + size]) else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  /// Returns the first number of a field; `value` if the field is missing; nil if it is present, but `numbers` returns
  /// nil.
  private func number(_ tag: Int, else value: Int) -> Int? {
    entries.contains { $0.tag == tag } ? numbers(tag)?.first : value
  }

  /// The ranges of the strips or tiles in the order of the field; nil if they cannot be determined, or if libtiff might
  /// read other bytes instead.
  private var strips: [Range<Int>]? {
    let isTiled = entries.contains { $0.tag == Tag.tiles }
    guard isTiled != entries.contains(where: { $0.tag == Tag.strips }),
      let offsets = numbers(isTiled ? Tag.tiles : Tag.strips),
      let counts = numbers(isTiled ? Tag.tileCounts : Tag.stripCounts), offsets.count == counts.count,
      let compression = number(Tag.compression, else: Self.uncompressed), compression != Self.oldJPEG,
      compression != Self.uncompressed || !isTiled && counts == uncompressedCounts
    else { return nil }
    var strips: [Range<Int>] = []
    for (offset, count) in zip(offsets, counts) {
      guard count > 0, offset <= file.byteCount, count <= file.byteCount - offset else { return nil }
      strips.append(offset..<offset + count)
    }
    return strips
  }

  /// The sizes that uncompressed strips must have; nil if they cannot be computed. If a file states other sizes,
  /// libtiff replaces them with estimates.
  private var uncompressedCounts: [Int]? {
    guard let width = number(Tag.width, else: 0), let height = number(Tag.height, else: 0), width > 0, height > 0,
      let samples = number(Tag.samples, else: 1), let bits = number(Tag.bits, else: 1),
      let planes = number(Tag.planes, else: 1), planes == 1 || samples == 1,
      let photometric = number(Tag.photometric, else: 0), photometric != Self.subsampled,
      let stated = number(Tag.stripRows, else: height), stated > 0,
      width < 1 << 31, height < 1 << 31, samples < 1 << 16, bits <= 64
    else { return nil }
    let (rowByteCount, rows) = ((width * samples * bits + 7) / 8, min(stated, height))
    guard (height + rows - 1) / rows <= Self.mostStrips, rowByteCount <= file.byteCount / height else { return nil }
    return stride(from: 0, to: height, by: rows).map { min(rows, height - $0) * rowByteCount }
  }

  /// Returns a digest of the fields that pixels may depend on. Returns nil if the directory has sub-directories or
  /// old-style JPEG fields, or if the fields cannot be read or are too large.
  private func fields(_ strips: [Range<Int>]) -> SHA256Digest? {
    var hash = SHA256()
    hash.update([isLittleEndian ? 1 : 0, isBig ? 1 : 0])
    var left = Self.mostFieldBytes
    for entry in entries where !Tag.metadata.contains(entry.tag) {
      switch entry.tag {
      case Tag.strips, Tag.tiles:
        hash.update(Array("\(entry.tag) \(entry.count);".utf8))
      case Tag.stripCounts, Tag.tileCounts:
        // The sizes are hashed as text, because some programs store 16-bit numbers, and others 32-bit ones.
        for strip in strips { hash.update(Array("\(strip.count);".utf8)) }
      case Tag.below, Tag.oldJPEG: return nil
      default:
        left -= entry.values.count
        guard left >= 0 else { return nil }
        hash.update(Array("\(entry.tag) \(entry.type) \(entry.count);".utf8))
        do throws(PictureError) {
          try SHA256.read(file, entry.values) { hash.update($0) }
        } catch {
          return nil
        }
      }
    }
    return hash.finish()
  }
}
