/// The metadata of a file with a TIFF structure, such as most RAW files, read without its pixels.
///
/// The file is untrusted: the number of entries and the size of values are limited, and at most four directories are
/// read.
package struct TIFFFileMetadata {
  /// An EXIF block with the fields that are copied to written files; empty if there are none except the orientation.
  package private(set) var exifBlock: [UInt8] = []
  package private(set) var xmp: [UInt8] = []
  package private(set) var iptc: [UInt8] = []
  /// Whether the file has a manifest of content credentials (C2PA Technical Specification 2.1, A.3.4).
  package private(set) var hasManifest = false

  private typealias Entry = (tag: Int, type: Int, bytes: [UInt8])

  private let read: (Int, Int) -> [UInt8]
  private let isLittleEndian: Bool

  /// The fields of the first directory that do not describe stored pixels: texts, dates, the orientation, ratings, and
  /// the fields that Windows adds.
  private static let main: Set<Int> = [
    0x010e, 0x010f, 0x0110, 0x0112, 0x0131, 0x0132, 0x013b, 0x013c, 0x4746, 0x8298, 0x9c9b, 0x9c9c, 0x9c9d, 0x9c9e,
    0x9c9f,
  ]
  private static let largestBlock = 1 << 20 + 1
  private static let xmpTag = 0x02bc
  private static let iptcTag = 0x83bb
  private static let manifestTag = 0xcd41

  /// - Parameter read: takes an offset in the file and a number of bytes, and returns at most that many bytes.
  package init?(read: @escaping (Int, Int) -> [UInt8]) {
    self.read = read
    let head = read(0, 8)
    guard head.count == 8 else { return nil }
    switch (head[0], head[1]) {
    case (0x49, 0x49): isLittleEndian = true
    case (0x4d, 0x4d): isLittleEndian = false
    default: return nil
    }
    // These are the magic numbers of TIFF, of Panasonic's RAW files, and of two kinds of Olympus's RAW files.
    guard [42, 0x55, 0x4f52, 0x5352].contains(number(head[2..<4])) else { return nil }
    let entries = directory(at: number(head[4..<8]))
    guard !entries.isEmpty else { return nil }
    xmp = entries.first { $0.tag == Self.xmpTag }?.bytes ?? []
    iptc = entries.first { $0.tag == Self.iptcTag }?.bytes ?? []
    if iptc.first != 0x1c { iptc = [] }
    hasManifest = entries.contains { $0.tag == Self.manifestTag }
    exifBlock = block(entries)
  }

  private func block(_ entries: [Entry]) -> [UInt8] {
    var fields = Self.fields(entries, Self.main)
    // TIFF/EP and DNG store the exposure in the first directory.
    var exif = Self.fields(entries, EXIFTags.carriedExif)
    let exifEntries = below(EXIFTags.exifDirectory, entries)
    exif.merge(Self.fields(exifEntries, EXIFTags.carriedExif)) { _, own in own }
    let index = Self.fields(below(EXIFTags.interoperability, exifEntries), EXIFTags.carriedInteroperability)
    if !index.isEmpty { exif[EXIFTags.interoperability] = .directory(index) }
    let gps = Self.fields(below(EXIFTags.gpsDirectory, entries), EXIFTags.carriedGPS)
    if !exif.isEmpty { fields[EXIFTags.exifDirectory] = .directory(exif) }
    if !gps.isEmpty { fields[EXIFTags.gpsDirectory] = .directory(gps) }
    guard fields.keys.contains(where: { $0 != EXIFTags.orientation }) else { return [] }
    return TIFFWriter(fields, isLittleEndian: isLittleEndian).bytes
  }

  private static func fields(_ entries: [Entry], _ tags: Set<Int>) -> TIFFFields {
    var fields: TIFFFields = [:]
    for entry in entries where tags.contains(entry.tag) && fields[entry.tag] == nil && entry.bytes.count <= 65_535 {
      fields[entry.tag] = .value(type: entry.type, bytes: entry.bytes)
    }
    return fields
  }

  /// Returns the entries of the directory that the entry `tag` refers to; none if there is no such directory.
  private func below(_ tag: Int, _ entries: [Entry]) -> [Entry] {
    guard let entry = entries.first(where: { $0.tag == tag }), [4, 13].contains(entry.type), entry.bytes.count == 4
    else { return [] }
    return directory(at: number(entry.bytes[...]))
  }

  private func directory(at offset: Int) -> [Entry] {
    let head = read(offset, 2)
    guard offset >= 8, head.count == 2 else { return [] }
    let bytes = read(offset + 2, min(number(head[...]), 1_000) * 12)
    return stride(from: 0, to: bytes.count - 11, by: 12).compactMap { entry(bytes[$0..<$0 + 12]) }
  }

  private func entry(_ bytes: ArraySlice<UInt8>) -> Entry? {
    let start = bytes.startIndex
    let tag = number(bytes[start..<start + 2]), type = number(bytes[start + 2..<start + 4])
    let isWanted =
      Self.main.contains(tag) || EXIFTags.carriedExif.contains(tag) || EXIFTags.carriedGPS.contains(tag)
      || [
        EXIFTags.exifDirectory, EXIFTags.gpsDirectory, EXIFTags.interoperability, Self.xmpTag, Self.iptcTag,
        Self.manifestTag,
      ].contains(tag)
    guard isWanted, (1..<TIFFReader.Entry.sizes.count).contains(type) else { return nil }
    let size = number(bytes[start + 4..<start + 8]) * TIFFReader.Entry.sizes[type]
    guard size > 0, size <= Self.largestBlock else { return nil }
    if size <= 4 { return (tag, type, Array(bytes[start + 8..<start + 8 + size])) }
    if tag == Self.manifestTag { return (tag, type, []) }
    let value = read(number(bytes[start + 8..<start + 12]), size)
    return value.count == size ? (tag, type, value) : nil
  }

  private func number(_ bytes: ArraySlice<UInt8>) -> Int {
    (isLittleEndian ? Array(bytes.reversed()) : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
  }
}
