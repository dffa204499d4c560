import ImageCore

/// The colour space of a picture according to its EXIF block.
extension EXIFBlock {
  static let colorSpace = 0xa001
  static let gamma = 0xa500
  /// The tags TransferFunction, WhitePoint and PrimaryChromaticities of the main directory.
  static let calibration: Set<Int> = [transferFunction, whitePoint, primaries]
  private static let transferFunction = 0x012d
  private static let whitePoint = 0x013e
  private static let primaries = 0x013f
  /// The values of ColorSpace: sRGB, uncalibrated, and Adobe RGB as older cameras write it.
  static let srgbSpace = 1
  static let uncalibrated = 0xffff
  private static let adobeSpace = 2
  /// The tag InteroperabilityIndex in the interoperability directory.
  static let interoperabilityIndex = 1

  /// Returns the colour space that a block describes; nil for sRGB, or if it describes none.
  ///
  /// By DCF 2.0 (CIPA DC-009-2010), section 4.6, Adobe RGB has the interoperability index R03 and the ColorSpace
  /// "uncalibrated". Exif 2.32 describes Gamma; TIFF 6.0, section 20, describes the other fields.
  static func colour(
    _ fields: [String: MetadataValue], _ main: TIFFReader.Directory, _ reader: TIFFReader
  ) -> CalibratedColour? {
    let space: Int? = if case .integer(let value)? = fields["ColorSpace"] { value } else { nil }
    guard space != srgbSpace else { return nil }
    if space == adobeSpace { return .adobeRGB }
    if space == uncalibrated, case .text(let index)? = fields["InteroperabilityIndex"], index.hasPrefix("R03") {
      return .adobeRGB
    }
    func numbers(_ tag: Int, _ count: Int) -> [Double]? {
      guard let entry = main.first(where: { $0.tag == tag }) else { return nil }
      let numbers = reader.numbers(entry)
      return numbers.count == count ? numbers : nil
    }
    var curves = main.first { $0.tag == transferFunction }.map { Self.curves($0, reader) } ?? []
    let (primaries, white) = (numbers(primaries, 6), numbers(whitePoint, 2))
    if curves.isEmpty, space == uncalibrated || primaries != nil, case .number(let gamma)? = fields["Gamma"] {
      curves = [.gamma(gamma)]
    }
    guard let primaries, let white else { return curves.isEmpty ? nil : CalibratedColour(curves: curves) }
    return CalibratedColour(primaries: primaries, white: white, curves: curves.isEmpty ? [.srgb] : curves)
  }

  /// Reads one table, or a table for each of three bands; none if the field is invalid. The number of light values in a
  /// table is a power of 2. A table that descends, for pictures in which 0 is white, is reversed.
  private static func curves(_ entry: TIFFReader.Entry, _ reader: TIFFReader) -> [CalibratedColour.Curve] {
    let bands = entry.count % 3 == 0 ? 3 : 1
    let steps = entry.count / bands
    guard entry.type == 3, (2...65_536).contains(steps), steps & (steps - 1) == 0 else { return [] }
    let values = (0..<entry.count).compactMap { reader.unsigned16(entry.offset + 2 * $0).map { UInt16($0) } }
    guard values.count == entry.count else { return [] }
    return (0..<bands).map { band in
      let table = Array(values[band * steps..<(band + 1) * steps])
      return .table(table[0] > table[steps - 1] ? table.reversed() : table)
    }
  }
}

/// The fields of EXIF and XMP that describe colours. In a written file, they must match the ICC profile of that file.
enum ColourTags {
  /// The colours of a written file.
  private enum Kind {
    case srgb, adobeRGB, other

    /// - Parameter profile: the ICC profile of the file. Without one for `model`, the kind is `srgb`, or `other` for
    ///   CMYK.
    init(_ profile: [UInt8], _ model: ColourModel) {
      let isFitting = profile.dropFirst(16).starts(with: Array(model.signature.utf8))
      switch isFitting ? StandardProfile.recognised(profile) : nil {
      case .adobeRGB: self = .adobeRGB
      case nil where isFitting || model == .cmyk: self = .other
      default: self = .srgb
      }
    }
  }

  /// Updates the fields of EXIF to match the file's profile.
  static func update(_ fields: inout TIFFFields, _ profile: [UInt8], _ model: ColourModel) {
    let kind = Kind(profile, model)
    if kind != .adobeRGB { for tag in EXIFBlock.calibration { fields[tag] = nil } }
    guard case .directory(var exif)? = fields[EXIFTags.exifDirectory] else { return }
    if exif[EXIFBlock.colorSpace] != nil {
      exif[EXIFBlock.colorSpace] = .short(kind == .srgb ? EXIFBlock.srgbSpace : EXIFBlock.uncalibrated)
    }
    if kind != .adobeRGB { exif[EXIFBlock.gamma] = nil }
    exif[EXIFTags.interoperability] = interoperability(exif[EXIFTags.interoperability], kind)
    fields[EXIFTags.exifDirectory] = exif.isEmpty ? nil : .directory(exif)
  }

  /// Returns the interoperability directory with the index R98 for sRGB or R03 for Adobe RGB; nil for other colours,
  /// which have no index. If `field` has neither index, it is returned unchanged.
  private static func interoperability(_ field: TIFFField?, _ kind: Kind) -> TIFFField? {
    guard case .directory(var directory)? = field,
      case .value(_, let index)? = directory[EXIFBlock.interoperabilityIndex],
      index.starts(with: "R03".utf8) || index.starts(with: "R98".utf8)
    else { return field }
    switch kind {
    case .srgb: directory[EXIFBlock.interoperabilityIndex] = .text("R98")
    case .adobeRGB: directory[EXIFBlock.interoperabilityIndex] = .text("R03")
    case .other: return nil
    }
    return .directory(directory)
  }

  /// Updates the properties of XMP to match the file's profile.
  static func update(_ packet: inout XMPPacket, _ profile: [UInt8], _ model: ColourModel) {
    let kind = Kind(profile, model)
    let space = XMPName(XMPSpace.exif, "ColorSpace")
    if packet[space] != nil {
      packet[space] = XMPElement(
        space, text: String(kind == .srgb ? EXIFBlock.srgbSpace : EXIFBlock.uncalibrated))
    }
    let name = XMPName(XMPSpace.photoshop, "ICCProfile")
    if let text = packet[name]?.plainText, !profile.names(text) {
      packet[name] = kind == .srgb && model == .rgb ? XMPElement(name, text: "sRGB IEC61966-2.1") : nil
    }
    guard kind != .adobeRGB else { return }
    let calibration = Set(
      ["WhitePoint", "PrimaryChromaticities", "TransferFunction"].map { XMPName(XMPSpace.tiff, $0) }
        + [XMPSpace.exif, XMPSpace.exifEX].map { XMPName($0, "Gamma") }
        + [XMPName(XMPSpace.exifEX, "InteroperabilityIndex")])
    packet.removeAll(where: calibration.contains)
  }
}

extension [UInt8] {
  /// Returns whether a profile contains a text in ASCII or in UTF-16.
  fileprivate func names(_ text: String) -> Bool {
    guard !text.isEmpty else { return false }
    let wide = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    return [Array(text.utf8), wide].contains { words in
      count >= words.count && (0...count - words.count).contains { self[$0...].starts(with: words) }
    }
  }
}
