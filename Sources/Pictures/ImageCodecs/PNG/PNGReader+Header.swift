import CPNG
import ImageCore
import ImageMetadata

extension PNGReader {
  /// Reads the chunks before the pixels into a header.
  func header() throws(PictureError) -> PictureHeader {
    let chunks = try PNGMetadataChunks(source)
    let block = chunks.exif
    let exif = EXIFBlock(block)
    let stored = iccProfile()
    let profile = stored ?? []
    let colour = try colourChunks()
    let code = colour.code
    let toneMapping = code.flatMap { ToneMapping($0) }
    var details: [String: MetadataValue] = [
      "bits": .integer(Int(ihdr.bit_depth)),
      "colour": .text(colourType),
      "interlaced": .integer(isInterlaced ? 1 : 0),
      "transparency": .integer(hasTransparency ? 1 : 0),
    ]
    if let code, !code.isSRGB { details["cicp"] = .text("primaries \(code.primaries), transfer \(code.transfer)") }
    if !ignoredChunks.isEmpty { details["ignored"] = .text(ignoredChunks.joined(separator: ", ")) }
    if let toneMapping { details["hdr"] = .text(toneMapping.description) }
    let losses = toneMapping == nil && !profile.isEmpty ? ICCProfile.losses(of: profile, layout.format) : []
    return PictureHeader(
      codec: "png", layout: layout,
      metadata: PictureMetadata(
        orientation: Orientation(exif, chunks.xmp),
        iccProfile: shownProfile(profile, colour, toneMapping, exif),
        exif: exif?.fields ?? [:],
        exifBlock: exif == nil ? [] : block, xmp: chunks.xmp, iptc: chunks.iptc,
        losses: chunks.losses + losses + self.losses(of: stored),
        resolution: resolution() ?? exif?.resolution),
      details: details,
      decoderByteCount: isInterlaced ? PixelBuffer.byteCount(layout) : 0,
      isEmbeddable: !isInterlaced && !layout.format.hasAlpha && toneMapping == nil)
  }

  /// The profile of the rows: that of the mapping of HDR, else the embedded one, else that of the code points. Where no
  /// chunk names a space, gAMA and cHRM describe it, or else EXIF (PNG, third edition, 4.3). An embedded one that cannot be
  /// used counts as none: encoders add gAMA and cHRM for readers without it (11.3.2.3).
  private func shownProfile(
    _ embedded: [UInt8], _ colour: PNGColourChunks, _ toneMapping: ToneMapping?, _ exif: EXIFBlock?
  ) -> [UInt8] {
    if let toneMapping { return toneMapping.profile(isGray: isGray) }
    let fitting = ICCProfile.matching(embedded, layout.format)
    if !fitting.isEmpty { return fitting }
    if let code = colour.code { return code.profile(isGray: isGray) }
    if colour.isSRGB { return [] }
    return ICCProfile.calibrated(colour.calibration ?? exif?.colour, layout.format)
  }

  /// The layout of decoded rows: as in the file, with fewer than 8 bits widened to 8, palettes resolved,
  /// and a tRNS chunk turned into alpha.
  var layout: PictureLayout {
    PictureLayout(
      width: Int(ihdr.width), height: Int(ihdr.height),
      format: PixelFormat(
        ihdr.bit_depth == 16 ? .u16 : .u8, isGray ? .gray : .rgb,
        alpha: hasTransparency || [4, 6].contains(ihdr.color_type)))
  }

  private var isGray: Bool { [0, 4].contains(ihdr.color_type) }

  private var colourType: String {
    switch ihdr.color_type {
    case 0: "gray"
    case 2: "RGB"
    case 3: "palette"
    case 4: "gray with alpha"
    default: "RGB with alpha"
    }
  }

  /// libspng's format for the layout: `SPNG_FMT_PNG` gives the file's own samples in the machine's byte order.
  var outputFormat: spng_format {
    switch (ihdr.color_type, ihdr.bit_depth) {
    case (3, _): hasTransparency ? SPNG_FMT_RGBA8 : SPNG_FMT_RGB8
    case (0, 16) where hasTransparency: SPNG_FMT_GA16
    case (0, _) where hasTransparency: SPNG_FMT_GA8
    case (0, 1...8): SPNG_FMT_G8
    case (2, 16) where hasTransparency: SPNG_FMT_RGBA16
    case (2, _) where hasTransparency: SPNG_FMT_RGBA8
    default: SPNG_FMT_PNG
    }
  }
}
