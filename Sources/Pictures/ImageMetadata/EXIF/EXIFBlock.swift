import ImageCore

/// A parsed EXIF block: a TIFF structure, for example from a JPEG's APP1 segment or a PNG's eXIf chunk.
package struct EXIFBlock {
  /// The fields by their standard names.
  package let fields: [String: MetadataValue]
  /// The colour space that the block describes; nil for sRGB, or if it describes none.
  package let colour: CalibratedColour?

  /// Parses a block; nil if the bytes are not an EXIF block. Damaged fields are omitted.
  package init?(_ bytes: [UInt8]) {
    guard let reader = TIFFReader(bytes), let main = reader.firstDirectory else { return nil }
    var fields: [String: MetadataValue] = [:]
    Self.collect(main, EXIFTags.main, reader, into: &fields)
    if let exif = Self.subdirectory(EXIFTags.exifDirectory, of: main, reader) {
      Self.collect(exif, EXIFTags.exif, reader, into: &fields)
      if let below = Self.subdirectory(EXIFTags.interoperability, of: exif, reader) {
        Self.collect(below, [Self.interoperabilityIndex: "InteroperabilityIndex"], reader, into: &fields)
      }
    }
    if let gps = Self.subdirectory(EXIFTags.gpsDirectory, of: main, reader) {
      Self.collect(gps, EXIFTags.gps, reader, into: &fields)
      Self.collectPosition(gps, reader, into: &fields)
    }
    // Before Exif 2.3, PhotographicSensitivity was called ISOSpeedRatings, which is still the most common name.
    if let sensitivity = fields["PhotographicSensitivity"] { fields["ISOSpeedRatings"] = sensitivity }
    self.fields = fields
    colour = Self.colour(fields, main, reader)
  }

  /// The orientation; nil if the field is missing or not 1 to 8.
  package var orientation: Orientation? {
    guard case .integer(let value)? = fields["Orientation"] else { return nil }
    return Orientation(rawValue: value)
  }

  /// The resolution in pixels per inch; nil if it is missing or invalid. `ResolutionUnit` is 2 for inches, the default,
  /// or 3 for centimetres.
  package var resolution: Resolution? {
    guard let across = number("XResolution"), let down = number("YResolution") else { return nil }
    let scale =
      switch fields["ResolutionUnit"] {
      case .integer(2)?, nil: 1.0
      case .integer(3)?: 2.54
      default: 0.0
      }
    return Resolution(horizontal: across * scale, vertical: down * scale)
  }

  private func number(_ name: String) -> Double? {
    switch fields[name] {
    case .integer(let value)?: Double(value)
    case .number(let value)?: value
    default: nil
    }
  }

  static func subdirectory(_ tag: Int, of directory: TIFFReader.Directory, _ reader: TIFFReader)
    -> TIFFReader.Directory?
  {
    guard let entry = directory.first(where: { $0.tag == tag }),
      entry.type == 4 || entry.type == 13 || entry.type == 3, entry.count == 1, let offset = reader.numbers(entry).first
    else { return nil }
    return reader.directory(at: Int(offset))
  }

  /// Collects the fields of a directory. If a field occurs several times, the first one counts.
  private static func collect(
    _ directory: TIFFReader.Directory, _ names: [Int: String], _ reader: TIFFReader,
    into fields: inout [String: MetadataValue]
  ) {
    var seen: Set<Int> = []
    for entry in directory where seen.insert(entry.tag).inserted {
      guard let name = names[entry.tag], fields[name] == nil, let value = value(entry, reader)
      else { continue }
      fields[name] = value
    }
  }

  private static func value(_ entry: TIFFReader.Entry, _ reader: TIFFReader) -> MetadataValue? {
    if entry.type != 2, let text = EXIFText.text(entry, reader) { return text.isEmpty ? nil : .text(text) }
    if entry.type == 2 {
      let text = reader.text(entry)
      return text.isEmpty ? nil : .text(text)
    }
    let numbers = reader.numbers(entry)
    guard numbers.count == 1 else { return numbers.isEmpty ? nil : .numbers(numbers) }
    // RATIONAL (5), SRATIONAL (10) and FLOAT (11) may have fractions; the other types are integers.
    return [5, 10, 11].contains(entry.type) ? .number(numbers[0]) : .integer(Int(numbers[0]))
  }

  /// Collects the latitude and longitude from degrees, minutes and seconds with a letter for the hemisphere (tags 1 to
  /// 4), and the altitude (tags 5 and 6), which is negative below sea level.
  private static func collectPosition(
    _ gps: TIFFReader.Directory, _ reader: TIFFReader, into fields: inout [String: MetadataValue]
  ) {
    func entry(_ tag: Int) -> TIFFReader.Entry? { gps.first { $0.tag == tag } }
    func degrees(_ referenceTag: Int, _ tag: Int, negative: String) -> Double? {
      guard let parts = entry(tag).map(reader.numbers), !parts.isEmpty, parts.count <= 3 else { return nil }
      let size = zip(parts, [1.0, 60, 3600]).reduce(0) { $0 + $1.0 / $1.1 }
      let reference = entry(referenceTag).map(reader.text) ?? ""
      return reference.uppercased() == negative ? -size : size
    }
    if let latitude = degrees(1, 2, negative: "S"), latitude.magnitude <= 90 {
      fields["GPSLatitude"] = .number(latitude)
    }
    if let longitude = degrees(3, 4, negative: "W"), longitude.magnitude <= 180 {
      fields["GPSLongitude"] = .number(longitude)
    }
    if let altitude = entry(6).flatMap({ reader.numbers($0).first }) {
      let isBelow = entry(5).flatMap { reader.numbers($0).first } == 1
      fields["GPSAltitude"] = .number(isBelow ? -altitude : altitude)
    }
  }
}

// MARK: - Writing

extension EXIFBlock {
  /// Returns the block to write with a picture: the fields of the source's block that `EXIFTags` carries, updated for
  /// the new pixels. Without such fields, the block has only the orientation, or is empty if the picture is upright.
  package static func forWriting(_ metadata: PictureMetadata, _ layout: PictureLayout) -> [UInt8] {
    let block = rewritten(
      metadata.exifBlock, orientation: metadata.orientation, layout, profile: metadata.iccProfile)
    guard block.isEmpty, metadata.orientation != .upright else { return block }
    return minimal(metadata.orientation)
  }

  /// Returns the block updated for the new pixels, with only the fields that `EXIFTags` carries.
  ///
  /// The maker note and the thumbnail are omitted, because they would show the original picture, including cropped
  /// parts. The result is empty if `block` is not an EXIF block or no field is left.
  static func rewritten(_ block: [UInt8], orientation: Orientation, _ layout: PictureLayout, profile: [UInt8])
    -> [UInt8]
  {
    written(block) { fields in
      if orientation != .upright || fields[EXIFTags.orientation] != nil {
        fields[EXIFTags.orientation] = .short(orientation.rawValue)
      }
      change(&fields, EXIFTags.exifDirectory) { exif in
        if exif[EXIFTags.pixelWidth] != nil { exif[EXIFTags.pixelWidth] = .long(layout.width) }
        if exif[EXIFTags.pixelHeight] != nil { exif[EXIFTags.pixelHeight] = .long(layout.height) }
      }
      ColourTags.update(&fields, profile, layout.format.model)
    }
  }

  /// Returns the block without its GPS directory and without the fields `EXIFTags.personal`.
  static func withoutPersonalFields(_ block: [UInt8]) -> [UInt8] {
    written(block) { fields in
      fields[EXIFTags.gpsDirectory] = nil
      fields = fields.filter { !EXIFTags.personal.contains($0.key) }
      change(&fields, EXIFTags.exifDirectory) { exif in
        exif = exif.filter { !EXIFTags.personal.contains($0.key) }
      }
    }
  }

  /// Returns the block with the fields that `EXIFTags` carries, after `edit` has modified them. If `block` is not an
  /// EXIF block, `edit` starts without fields. The result is empty if no field is left.
  static func edited(_ block: [UInt8], _ edit: (inout TIFFFields) -> Void) -> [UInt8] {
    if TIFFReader(block)?.firstDirectory != nil { return written(block, edit) }
    var fields: TIFFFields = [:]
    edit(&fields)
    return fields.isEmpty ? [] : TIFFWriter(fields, isLittleEndian: false).bytes
  }

  /// Returns the block with only the fields `tags` of the main and EXIF directories. The GPS directory counts as one
  /// field.
  static func keeping(_ block: [UInt8], _ tags: Set<Int>) -> [UInt8] {
    written(block) { fields in
      fields = fields.filter { tags.contains($0.key) || $0.key == EXIFTags.exifDirectory }
      change(&fields, EXIFTags.exifDirectory) { exif in exif = exif.filter { tags.contains($0.key) } }
    }
  }

  /// Returns a block with only the orientation: a big-endian header and a directory with one entry.
  static func minimal(_ orientation: Orientation) -> [UInt8] {
    TIFFWriter([EXIFTags.orientation: .short(orientation.rawValue)], isLittleEndian: false).bytes
  }

  /// The maximum size of a value in bytes; larger values are omitted. A JPEG cannot contain a larger block. The limit
  /// also protects from blocks whose entries all refer to the same megabytes: the copies would be a hundred times as
  /// large.
  private static let largestValue = 65_535

  private static func written(_ block: [UInt8], _ edit: (inout TIFFFields) -> Void) -> [UInt8] {
    guard let reader = TIFFReader(block), let main = reader.firstDirectory else { return [] }
    var fields = carried(main, EXIFTags.carriedMain, reader)
    carry(EXIFTags.exifDirectory, of: main, EXIFTags.carriedExif, reader, into: &fields)
    carry(EXIFTags.gpsDirectory, of: main, EXIFTags.carriedGPS, reader, into: &fields)
    if let exif = subdirectory(EXIFTags.exifDirectory, of: main, reader) {
      change(&fields, EXIFTags.exifDirectory) { fields in
        carry(EXIFTags.interoperability, of: exif, EXIFTags.carriedInteroperability, reader, into: &fields)
      }
    }
    edit(&fields)
    return fields.isEmpty
      ? [] : TIFFWriter(fields, isLittleEndian: reader.isLittleEndian).bytes
  }

  /// Returns the fields `tags` of a directory. If a field occurs several times, the first one counts, as in parsing.
  private static func carried(_ directory: TIFFReader.Directory, _ tags: Set<Int>, _ reader: TIFFReader) -> TIFFFields {
    var fields: TIFFFields = [:]
    for entry in directory
    where tags.contains(entry.tag) && fields[entry.tag] == nil && entry.byteCount <= largestValue {
      let range = entry.offset..<entry.offset + entry.byteCount
      fields[entry.tag] = .value(type: entry.type, bytes: Array(reader.bytes[range]))
    }
    return fields
  }

  /// Adds the directory that field `tag` of `directory` refers to, with only the fields `tags`, unless it is empty.
  private static func carry(
    _ tag: Int, of directory: TIFFReader.Directory, _ tags: Set<Int>, _ reader: TIFFReader,
    into fields: inout TIFFFields
  ) {
    guard let below = subdirectory(tag, of: directory, reader) else { return }
    let carried = carried(below, tags, reader)
    if !carried.isEmpty { fields[tag] = .directory(carried) }
  }

  /// Modifies a nested directory if there is one, and removes it if it becomes empty.
  private static func change(_ fields: inout TIFFFields, _ tag: Int, _ body: (inout TIFFFields) -> Void) {
    guard case .directory(var below)? = fields[tag] else { return }
    body(&below)
    fields[tag] = below.isEmpty ? nil : .directory(below)
  }
}
