import ImageCore

/// Reads and replaces the metadata of JPEGs without decoding pixels.
extension JPEGCodec {
  private static let (application1, application13, comment) = (UInt8(0xe1), UInt8(0xed), UInt8(0xfe))
  private static let (scan, end) = (UInt8(0xda), UInt8(0xd9))

  private static let mostSegments = 10_000

  /// Calls `body` with the range, the marker and the first bytes of each segment before the first scan, until `body`
  /// returns false.
  private static func visitSegments(
    of file: InputFile, _ body: (_ place: Range<Int>, _ marker: UInt8, _ content: ArraySlice<UInt8>) -> Bool
  ) {
    guard (try? file.bytes(at: 0, count: 2)) == [0xff, 0xd8] else { return }
    var place = 2
    for _ in 0..<mostSegments {
      guard let head = try? file.bytes(at: place, count: 40), head.count >= 4, head[0] == 0xff, head[1] >= 0xc0,
        head[1] != scan, head[1] != end
      else { return }
      let segment = place..<place + 2 + Int(head[2]) << 8 + Int(head[3])
      guard segment.count >= 4, segment.upperBound < file.byteCount,
        body(segment, head[1], head[4...].prefix(segment.count - 4))
      else { return }
      place = segment.upperBound
    }
  }

  /// Finds EXIF, XMP, IPTC and comments before the first scan.
  public func metadataPlaces(in file: InputFile) -> MetadataPlaces? {
    var places: [Range<Int>] = []
    Self.visitSegments(of: file) { place, marker, content in
      func begins(_ names: [UInt8]...) -> Bool { names.contains { content.starts(with: $0) } }
      let isMetadata =
        marker == Self.comment
        || marker == Self.application1 && begins(JPEGSegments.exif, JPEGSegments.xmp, JPEGSegments.extendedXMP)
        || marker == Self.application13 && begins(JPEGSegments.photoshop)
      if isMetadata { places.append(place) }
      return true
    }
    return MetadataPlaces(places)
  }

  /// Writes the metadata as `JPEGEncoder` does, and copies everything after the APP segments at the start. Returns
  /// false if the file has no other segment before the first scan, or if it has an index of pictures (MPF), because the
  /// new metadata may not fit a gain map in the index.
  public func rewrite(
    _ file: InputFile, to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> Bool {
    var (place, isFound, hasMap) = (2, false, false)
    Self.visitSegments(of: file) { segment, marker, content in
      isFound = !(0xe0...0xef).contains(marker)
      if !isFound { place = segment.upperBound }
      hasMap = hasMap || content.starts(with: JPEGGainMap.indexName)
      return !isFound
    }
    guard isFound, !hasMap else { return false }
    _ = try JPEGEncoder(to: sink, layout: layout, metadata: metadata, settings: .baseline, context: .serial)
    try ByteSource.file(file).copy(place..<file.byteCount, to: sink)
    return true
  }
}
