import CShims
import ImageCore
import ImageMetadata

extension JPEGReader {
  /// The header as a `PictureHeader`.
  var header: PictureHeader {
    PictureHeader(
      codec: "jpeg", layout: layout, metadata: metadata, details: details,
      shrinkFactors: [2, 4, 8], decoderByteCount: Int(info.frame_bytes) + gainMapByteCount,
      isEmbeddable: info.arithmetic == 0 && info.strays == 0 && !isDisputed)
  }

  /// Whether the JFIF marker says YCbCr, which counts here, and the Adobe marker RGB, which counts in a PDF.
  private var isDisputed: Bool { info.colour == SHIM_JPEG_YCC && info.adobe_transform == 0 }

  /// The layout of decoded rows at full size: YCCK becomes CMYK.
  var layout: PictureLayout {
    PictureLayout(width: Int(info.width), height: Int(info.height), format: PixelFormat(.u8, model))
  }

  private var model: ColourModel {
    switch info.colour {
    case SHIM_JPEG_GRAY: .gray
    case SHIM_JPEG_CMYK, SHIM_JPEG_YCCK: .cmyk
    default: .rgb
    }
  }

  private var metadata: PictureMetadata {
    let block = segment(SHIM_JPEG_EXIF) ?? []
    let exif = EXIFBlock(block)
    let profile = info.has_icc != 0 ? ICCProfile.matching(iccProfile, layout.format) : []
    var metadata = PictureMetadata(
      iccProfile: profile.isEmpty ? ICCProfile.calibrated(exif?.colour, layout.format) : profile,
      exif: exif?.fields ?? [:],
      exifBlock: exif == nil ? [] : block, resolution: jfifResolution ?? exif?.resolution)
    addBlocks(to: &metadata)
    metadata.orientation = Orientation(exif, metadata.xmp)
    return metadata
  }

  /// JFIF 1.02: unit 1 is dots per inch, 2 dots per centimetre, 0 an aspect ratio only.
  private var jfifResolution: Resolution? {
    let scale: Double
    switch info.density_unit {
    case 1: scale = 1
    case 2: scale = 2.54
    default: return nil
    }
    return Resolution(horizontal: Double(info.density_x) * scale, vertical: Double(info.density_y) * scale)
  }

  private var details: [String: MetadataValue] {
    var details: [String: MetadataValue] = [
      "bits": .integer(Int(info.bits)),
      "components": .integer(Int(info.components)),
      "colour": .text(colour),
      "progressive": .integer(info.progressive == 0 ? 0 : 1),
    ]
    if info.components > 1 {
      details["subsampling"] = .text(Self.subsampling(Int(info.subsampling_across), Int(info.subsampling_down)))
    }
    if info.arithmetic != 0 { details["arithmetic"] = .integer(1) }
    if let gainMap { details["gain_map"] = .text(gainMap) }
    if info.strays != 0 { details["strayBytes"] = .integer(1) }
    if info.adobe_transform >= 0 { details["adobeTransform"] = .integer(Int(info.adobe_transform)) }
    return details
  }

  private var colour: String {
    switch info.colour {
    case SHIM_JPEG_GRAY: "gray"
    case SHIM_JPEG_RGB: "RGB"
    case SHIM_JPEG_YCC: "YCbCr"
    case SHIM_JPEG_CMYK: "CMYK"
    default: "YCCK"
    }
  }

  /// Returns the usual J:a:b name, or one like `2x4` for factors without such a name.
  static func subsampling(_ across: Int, _ down: Int) -> String {
    switch (across, down) {
    case (1, 1): "4:4:4"
    case (2, 1): "4:2:2"
    case (2, 2): "4:2:0"
    case (1, 2): "4:4:0"
    case (4, 1): "4:1:1"
    default: "\(across)x\(down)"
    }
  }
}
