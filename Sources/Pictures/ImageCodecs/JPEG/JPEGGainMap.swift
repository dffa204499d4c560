import ImageCore

/// Gain maps of Ultra HDR files (developer.android.com/media/platform/hdr-image-format, version 1.1): a second JPEG
/// after the first. An index in the first JPEG (MPF, CIPA DC-007) contains the position of the second, and XMP or ISO
/// 21496-1 describes the map.
enum JPEGGainMap {
  private static let isoName = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
  static let indexName = Array("MPF\0".utf8)
  private static let space = Array("http://ns.adobe.com/hdr-gain-map/1.0/".utf8)

  /// The maximum size of a map, and the maximum numbers of segments and pictures that are examined.
  private static let (mostBytes, mostSegments, mostPictures) = (64 << 20, 1_000, 16)

  /// A segment of a header: its marker, its position, and the bytes after the length field.
  private struct Segment {
    let marker: UInt8
    /// The offset of the segment's first byte in the file.
    let start: Int
    let body: [UInt8]

    /// Returns the bytes after the segment's name; nil if the segment does not begin with this name.
    func content(_ name: [UInt8]) -> [UInt8]? { body.starts(with: name) ? Array(body[name.count...]) : nil }
  }

  // MARK: Reading

  /// Returns the gain map of a file; nil if there is none that can be read.
  static func find(in file: InputFile) -> GainMap? {
    for segment in segments(of: file, from: 0) where segment.marker == 0xe2 {
      guard let index = segment.content(indexName) else { continue }
      for place in places(index) {
        let start = segment.start + 4 + indexName.count + place.offset
        guard place.count <= mostBytes, start > 0, start + place.count <= file.byteCount else { continue }
        if let map = map(in: file, at: start, place.count) { return map }
      }
    }
    return nil
  }

  private static func map(in file: InputFile, at start: Int, _ count: Int) -> GainMap? {
    var (xmp, iso): ([UInt8], [UInt8]) = ([], [])
    for segment in segments(of: file, from: start) {
      switch segment.marker {
      case 0xe1 where xmp.isEmpty:
        if let packet = segment.content(JPEGSegments.xmp), packet.holds(space) { xmp = packet }
      case 0xe2 where iso.isEmpty: iso = segment.content(isoName) ?? []
      default: break
      }
    }
    guard !xmp.isEmpty || !iso.isEmpty, let jpeg = try? file.bytes(at: start, count: count), jpeg.count == count else {
      return nil
    }
    return GainMap(jpeg: jpeg, xmp: xmp, iso: iso)
  }

  /// Returns the APP1 and APP2 segments before the first scan of the JPEG that begins at `start` in a file. They
  /// contain XMP, ISO 21496-1 metadata and indices.
  private static func segments(of file: InputFile, from start: Int) -> [Segment] {
    guard let mark = try? file.bytes(at: start, count: 2), mark == [0xff, 0xd8] else { return [] }
    var segments: [Segment] = []
    var place = start + 2
    for _ in 0..<mostSegments {
      guard let head = try? file.bytes(at: place, count: 4), head.count == 4, head[0] == 0xff else { break }
      let length = Int(head[2]) << 8 | Int(head[3])
      guard length >= 2, head[1] != 0xda, head[1] != 0xd9 else { break }
      if head[1] == 0xe1 || head[1] == 0xe2 {
        guard let body = try? file.bytes(at: place + 4, count: length - 2), body.count == length - 2 else { break }
        segments.append(Segment(marker: head[1], start: place, body: body))
      }
      place += 2 + length
    }
    return segments
  }

  /// Returns the pictures of an index, except for the first one: their offsets from the index's start, and their sizes.
  private static func places(_ index: [UInt8]) -> [(offset: Int, count: Int)] {
    let isLittle = index.starts(with: Array("II*\0".utf8))
    guard isLittle || index.starts(with: Array("MM\0*".utf8)) else { return [] }
    func number(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place + count <= index.count else { return nil }
      let bytes = index[place..<place + count]
      return (isLittle ? bytes.reversed() : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
    }
    guard let table = number(4, 4), let entries = number(table, 2) else { return [] }
    for entry in 0..<min(entries, 64) {
      let place = table + 2 + 12 * entry
      guard number(place, 2) == 0xb002, let byteCount = number(place + 4, 4), let list = number(place + 8, 4) else {
        continue
      }
      return (1..<max(1, min(byteCount / 16, mostPictures))).compactMap { picture in
        let entry = list + 16 * picture
        guard let count = number(entry + 4, 4), let offset = number(entry + 8, 4), offset > 0 else { return nil }
        return (offset, count)
      }
    }
    return []
  }

  // MARK: Writing

  /// Returns the map as a JPEG file that includes its description.
  static func described(_ map: GainMap) -> [UInt8] {
    var head: [UInt8] = [0xff, 0xd8]
    if !map.xmp.isEmpty { head += segment(0xe1, JPEGSegments.xmp + map.xmp) }
    if !map.iso.isEmpty { head += segment(0xe2, isoName + map.iso) }
    return head + map.jpeg.dropFirst(2)
  }

  /// Returns the picture's file followed by the map's, with an index of both. `map.jpeg` is a result of `described`.
  static func join(_ picture: [UInt8], _ map: GainMap) -> [UInt8] {
    var place = 2
    while place + 4 <= picture.count, picture[place] == 0xff, (0xe0...0xef).contains(picture[place + 1]) {
      place += 2 + Int(picture[place + 2]) << 8 + Int(picture[place + 3])
    }
    // In the picture's file, this segment contains only the versions of the standard; the parameters of the map are in
    // the map's file.
    let mark = map.iso.isEmpty ? [] : segment(0xe2, isoName + [0, 0, 0, 0])
    let indexLength = index(pictureLength: 0, mapLength: 0, mapOffset: 0).count
    let length = picture.count + mark.count + indexLength
    let start = place + mark.count + 4 + indexName.count
    let index = index(pictureLength: length, mapLength: map.jpeg.count, mapOffset: length - start)
    return Array(picture[..<place]) + mark + index + picture[place...] + map.jpeg
  }

  /// Returns the segment with the index of both pictures (CIPA DC-007, 5.2).
  private static func index(pictureLength: Int, mapLength: Int, mapOffset: Int) -> [UInt8] {
    let word = JPEGSegments.word
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      Array(word(tag).suffix(2) + word(type).suffix(2)) + word(count) + value
    }
    var bytes = Array("MM\0*".utf8) + word(8) + [0, 3]
    bytes += entry(0xb000, 7, 4, Array("0100".utf8)) + entry(0xb001, 4, 1, word(2)) + entry(0xb002, 7, 32, word(50))
    // No other index follows. The first picture is the primary one, and a JPEG; its offset is 0.
    bytes += word(0) + word(0x0003_0000) + word(pictureLength) + word(0) + word(0)
    bytes += word(0) + word(mapLength) + word(mapOffset) + word(0)
    return segment(0xe2, indexName + bytes)
  }

  private static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
    [0xff, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
  }
}

extension JPEGCodec {
  public func gainMap(_ file: InputFile) -> GainMap? { JPEGGainMap.find(in: file) }
  public func describing(_ map: GainMap) -> [UInt8] { JPEGGainMap.described(map) }
  public func joining(_ picture: [UInt8], _ map: GainMap) -> [UInt8] { JPEGGainMap.join(picture, map) }
}
