import ImageCodecs
import ImageCore

/// A codec plugin that ships with imghost: what to install if the plugin is missing, and facts that the plugin's own
/// description lacks.
struct ShippedCodec {
  let name: String
  /// The file name of the plugin's library.
  let file: String
  /// The imghost package that contains it.
  let package: String
  /// The kinds of files that need this plugin, as named by `CodecError.notRecognised`.
  let kinds: [String]
  /// The extensions of the files that it writes.
  let written: [String]
  let changedOptions: [ChangedOption]
  /// The predicted processor time per pixel.
  let cost: CodingCost
  /// Finds metadata in files; see `PictureCodec.metadataPlaces`. Nil for a format whose structure is not known here.
  let metadataPlaces: (@Sendable (InputFile) -> MetadataPlaces?)?
  /// Replaces the profile, EXIF and XMP of a file; see `PictureCodec.rewrite`. Nil if the plugin itself has to do so.
  let rewrite: Rewriter?

  typealias Rewriter =
    @Sendable (InputFile, any ByteSink, _ profile: [UInt8], _ exif: [UInt8], _ xmp: [UInt8])
    throws(PictureError) -> Bool

  private init(
    _ name: String, _ file: String, in package: String, _ kinds: [String],
    writing written: [String] = [], changed: [ChangedOption] = [], cost: CodingCost = CodingCost(),
    metadataPlaces: (@Sendable (InputFile) -> MetadataPlaces?)? = nil, rewrite: Rewriter? = nil
  ) {
    self.name = name
    self.file = "lib\(file)Plugin.so"
    self.package = package
    self.kinds = kinds
    self.written = written
    changedOptions = changed
    self.cost = cost
    self.metadataPlaces = metadataPlaces
    self.rewrite = rewrite
  }

  static func named(_ name: String) -> ShippedCodec? { all.first { $0.name == name } }

  static let all = [
    ShippedCodec(
      "avif", "AVIF", in: "imghost-codecs", ["an AVIF picture"], writing: ["avif", "avifs"],
      cost: CodingCost(stored: 20, encoded: 300)),
    ShippedCodec("gif", "GIF", in: "imghost", ["a GIF picture"]),
    ShippedCodec(
      "heif", "HEIF", in: "imghost-codecs-gpl", ["a HEIC picture", "a HEIF picture"],
      cost: CodingCost(stored: 20)),
    ShippedCodec("jpeg", "JPEG", in: "imghost", []),
    ShippedCodec(
      "jpeg2000", "JPEG2000", in: "imghost", [],
      writing: ["jp2", "j2k", "j2c", "jpx", "jpf", "jpeg2000"],
      changed: [ChangedOption("quality", "is 1 to 100 now, as for JPEG", successor: "psnr")]),
    ShippedCodec(
      "jpegxl", "JPEGXL", in: "imghost-codecs", ["a JPEG XL picture"], writing: ["jxl", "jpegxl"],
      cost: CodingCost(stored: 20, encoded: 120)),
    ShippedCodec("pdf", "PDF", in: "imghost-codecs-gpl", ["a PDF document"], cost: CodingCost(stored: 40)),
    ShippedCodec("png", "PNG", in: "imghost", []),
    ShippedCodec("raw", "RAW", in: "imghost-codecs", ["a raw file of a camera"], cost: CodingCost(stored: 80)),
    ShippedCodec("svg", "SVG", in: "imghost-codecs", ["an SVG drawing"], cost: CodingCost(stored: 40)),
    ShippedCodec(
      "tiff", "TIFF", in: "imghost", ["a TIFF picture", "a BigTIFF picture"],
      writing: ["tif", "tiff", "btf", "tf8"], cost: CodingCost(stored: 4, encoded: 6),
      metadataPlaces: TIFFContainer.metadataPlaces),
    ShippedCodec(
      "webp", "WebP", in: "imghost", ["a WebP picture"], writing: ["webp"], cost: CodingCost(encoded: 90),
      metadataPlaces: WebPContainer.metadataPlaces,
      rewrite: { (file, sink, profile, exif, xmp) throws(PictureError) in
        try WebPContainer.rewrite(file, to: sink, profile: profile, exif: exif, xmp: xmp)
      }),
  ]
}
