/// Builds EXIF blocks as cameras do, independent of the code under test: little-endian, with the directories in order,
/// each followed by its values.
struct EXIFBuilder {
  typealias Entry = (tag: UInt16, type: UInt16, bytes: [UInt8])

  var main: [Entry] = []
  var exif: [Entry] = []
  var gps: [Entry] = []
  /// The thumbnail that the second directory describes.
  var thumbnail: [UInt8] = []

  static func text(_ tag: UInt16, _ text: String) -> Entry { (tag, 2, Array(text.utf8) + [0]) }
  static func short(_ tag: UInt16, _ value: UInt16) -> Entry { (tag, 3, little(Int(value), 2)) }
  static func long(_ tag: UInt16, _ value: Int) -> Entry { (tag, 4, little(value, 4)) }
  static func opaque(_ tag: UInt16, _ bytes: [UInt8]) -> Entry { (tag, 7, bytes) }

  static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  var block: [UInt8] {
    var main = main
    if !exif.isEmpty { main.append(Self.long(0x8769, 0)) }
    if !gps.isEmpty { main.append(Self.long(0x8825, 0)) }
    // The size of a directory does not depend on the offsets in it.
    let exifStart = 8 + Self.directory(main, at: 8, next: 0).count
    let gpsStart = exifStart + (exif.isEmpty ? 0 : Self.directory(exif, at: 0, next: 0).count)
    let second = gpsStart + (gps.isEmpty ? 0 : Self.directory(gps, at: 0, next: 0).count)
    main = main.map { entry in
      switch entry.tag {
      case 0x8769: Self.long(0x8769, exifStart)
      case 0x8825: Self.long(0x8825, gpsStart)
      default: entry
      }
    }
    var bytes: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]
    bytes += Self.directory(main, at: 8, next: thumbnail.isEmpty ? 0 : second)
    if !exif.isEmpty { bytes += Self.directory(exif, at: exifStart, next: 0) }
    if !gps.isEmpty { bytes += Self.directory(gps, at: gpsStart, next: 0) }
    guard !thumbnail.isEmpty else { return bytes }
    let link = [Self.long(0x0201, second + 30), Self.long(0x0202, thumbnail.count)]
    return bytes + Self.directory(link, at: second, next: 0) + thumbnail
  }

  private static func directory(_ entries: [Entry], at start: Int, next: Int) -> [UInt8] {
    let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8]
    var bytes = little(entries.count, 2)
    var values: [UInt8] = []
    for entry in entries {
      bytes += little(Int(entry.tag), 2) + little(Int(entry.type), 2)
      bytes += little(entry.bytes.count / sizes[Int(entry.type)], 4)
      if entry.bytes.count <= 4 {
        bytes += entry.bytes + [UInt8](repeating: 0, count: 4 - entry.bytes.count)
      } else {
        bytes += little(start + 2 + entries.count * 12 + 4 + values.count, 4)
        values += entry.bytes
      }
    }
    return bytes + little(next, 4) + values
  }
}
