/// A codec plugin that ships with imghost: what to install for a format whose plugin is missing.
struct ShippedCodec {
  /// The name of the plugin.
  let name: String
  /// The plugin's file.
  let file: String
  /// Debian's package of the format's library.
  let package: String
  /// The kinds of files that it reads, in the words of `CodecError.notRecognised`.
  let kinds: [String]
  /// The extensions of the files that it writes.
  let written: [String]

  private init(_ name: String, _ file: String, _ package: String, _ kinds: [String], writing written: [String] = []) {
    self.name = name
    self.file = "lib\(file)Plugin.so"
    self.package = package
    self.kinds = kinds
    self.written = written
  }

  static let all = [
    ShippedCodec("avif", "AVIF", "libavif15", ["an AVIF picture"], writing: ["avif"]),
    ShippedCodec("gif", "GIF", "libgif7", ["a GIF picture"]),
    ShippedCodec("heif", "HEIF", "libheif1", ["a HEIC picture", "a HEIF picture"]),
    ShippedCodec("jpeg2000", "JPEG2000", "libopenjp2-7", [], writing: ["jp2", "j2k", "jpeg2000"]),
    ShippedCodec("jpegxl", "JPEGXL", "libjxl0.7", ["a JPEG XL picture"], writing: ["jxl", "jpegxl"]),
    ShippedCodec("pdf", "PDF", "libpoppler-glib8", ["a PDF document"]),
    ShippedCodec("svg", "SVG", "librsvg2-2", ["an SVG drawing"]),
    ShippedCodec("tiff", "TIFF", "libtiff6", ["a TIFF picture", "a BigTIFF picture"], writing: ["tif", "tiff"]),
    ShippedCodec("webp", "WebP", "libwebp7", ["a WebP picture"], writing: ["webp"]),
  ]
}
