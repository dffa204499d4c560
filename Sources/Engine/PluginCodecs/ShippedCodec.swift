import ImageCore

/// A codec plugin that ships with imghost: determines what to install for a format whose plugin is missing.
struct ShippedCodec {
  /// The name of the plugin.
  let name: String
  /// The plugin's file.
  let file: String
  /// The imghost package that contains it.
  let package: String
  /// The kinds of files that it reads, as named by `CodecError.notRecognised`.
  let kinds: [String]
  /// The extensions of the files that it writes.
  let written: [String]
  let changedOptions: [ChangedOption]

  private init(
    _ name: String, _ file: String, in package: String, _ kinds: [String],
    writing written: [String] = [], changed: [ChangedOption] = []
  ) {
    self.name = name
    self.file = "lib\(file)Plugin.so"
    self.package = package
    self.kinds = kinds
    self.written = written
    changedOptions = changed
  }

  static let all = [
    ShippedCodec("avif", "AVIF", in: "imghost-codecs", ["an AVIF picture"], writing: ["avif", "avifs"]),
    ShippedCodec("gif", "GIF", in: "imghost", ["a GIF picture"]),
    ShippedCodec("heif", "HEIF", in: "imghost-codecs-gpl", ["a HEIC picture", "a HEIF picture"]),
    ShippedCodec(
      "jpeg2000", "JPEG2000", in: "imghost", [],
      writing: ["jp2", "j2k", "j2c", "jpx", "jpf", "jpeg2000"],
      changed: [ChangedOption("quality", "is 1 to 100 now, as for JPEG", successor: "psnr")]),
    ShippedCodec(
      "jpegxl", "JPEGXL", in: "imghost-codecs", ["a JPEG XL picture"], writing: ["jxl", "jpegxl"]),
    ShippedCodec("pdf", "PDF", in: "imghost-codecs-gpl", ["a PDF document"]),
    ShippedCodec("raw", "RAW", in: "imghost-codecs", ["a raw file of a camera"]),
    ShippedCodec("svg", "SVG", in: "imghost-codecs", ["an SVG drawing"]),
    ShippedCodec(
      "tiff", "TIFF", in: "imghost", ["a TIFF picture", "a BigTIFF picture"],
      writing: ["tif", "tiff", "btf", "tf8"]),
    ShippedCodec("webp", "WebP", in: "imghost", ["a WebP picture"], writing: ["webp"]),
  ]
}
