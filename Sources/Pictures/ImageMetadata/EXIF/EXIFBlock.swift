import ImageCore

/// A parsed EXIF block: a TIFF structure from a JPEG's APP1 segment or a PNG's eXIf chunk.
package struct EXIFBlock {
  /// Fields by their standard names.
  package let fields: [String: MetadataValue]
  /// The colours that it describes, nil where it says sRGB or nothing.
  package let colour: CalibratedColour?

  /// Nil if the bytes are not an EXIF block. Broken fields are left out.
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
    // Before Exif 2.3 this tag was called ISOSpeedRatings, and most people still call it that.
    if let sensitivity = fields["PhotographicSensitivity"] { fields["ISOSpeedRatings"] = sensitivity }
    self.fields = fields
    colour = Self.colour(fields, main, reader)
  }

  /// The orientation; nil if the field is missing or not 1 to 8.
  package var orientation: Orientation? {
    guard case .integer(let value)? = fields["Orientation"] else { return nil }
    return Orientation(rawValue: value)
  }

  /// Pixels per inch. `ResolutionUnit` is 2 for inches, the default, or 3 for centimetres.
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
    guard let entry = directory.entries.first(where: { $0.tag == tag }),
      entry.type == 4 || entry.type == 13 || entry.type == 3, entry.count == 1, let offset = reader.numbers(entry).first
    else { return nil }
    return reader.directory(at: Int(offset))
  }

  /// Collects the fields of a directory. The first of a repeated field counts.
  private static func collect(
    _ directory: TIFFReader.Directory, _ names: [Int: String], _ reader: TIFFReader,
    into fields: inout [String: MetadataValue]
  ) {
    var seen: Set<Int> = []
    for entry in directory.entries where seen.insert(entry.tag).inserted {
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
    // Types 5, 10 and 11 are fractions; the others are whole.
    return [5, 10, 11].contains(entry.type) ? .number(numbers[0]) : .integer(Int(numbers[0]))
  }

  /// Collects the position: degrees, minutes and seconds with a letter for the hemisphere (tags 1 to 4), and the
  /// height above or, with a reference of 1, below sea level (5 and 6).
  private static func collectPosition(
    _ gps: TIFFReader.Directory, _ reader: TIFFReader, into fields: inout [String: MetadataValue]
  ) {
    func entry(_ tag: Int) -> TIFFReader.Entry? { gps.entries.first { $0.tag == tag } }
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
