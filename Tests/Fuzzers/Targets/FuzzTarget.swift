/// A parser of foreign bytes in the host, as libFuzzer and the replaying test call it.
///
/// To add one: write its function in a file here, list it below, and give it a folder with its name in `Corpus`.
struct FuzzTarget: Sendable {
  let name: String
  /// Reads the bytes as far as possible. Stops the process if a promise is broken, which is what fuzzing looks for.
  let read: @Sendable ([UInt8]) -> Void

  init(_ name: String, _ read: @escaping @Sendable ([UInt8]) -> Void) { (self.name, self.read) = (name, read) }

  static let all: [FuzzTarget] = [
    // Pictures: headers and rows.
    FuzzTarget("jpeg", JPEGReading.read),
    FuzzTarget("png", PNGReading.read),
    FuzzTarget("bmp") { PictureReading.read($0, BMPReading.codec) },
    FuzzTarget("pnm") { for codec in PNMReading.codecs { PictureReading.read($0, codec) } },
    FuzzTarget("qoi") { PictureReading.read($0, QOIReading.codec) },
    FuzzTarget("ico") { PictureReading.read($0, ICOReading.codec) },
    FuzzTarget("jpeg2000", JPEG2000Reading.read),
    FuzzTarget("fax", FaxReading.read),
    // Metadata.
    FuzzTarget("exif", EXIFReading.read),
    FuzzTarget("xmp", XMPReading.read),
    FuzzTarget("iptc", IPTCReading.read),
    FuzzTarget("icc", ICCReading.read),
    FuzzTarget("container", ContainerReading.read),
    // Books.
    FuzzTarget("embedded", EmbeddedReading.read),
    FuzzTarget("pdf", PDFReading.read),
    FuzzTarget("expectations", ExpectationReading.read),
    FuzzTarget("pack", PackReading.read),
    // What processes tell each other.
    FuzzTarget("worker", WorkerReading.read),
    FuzzTarget("codec", CodecReading.read),
    FuzzTarget("json", JSONReading.read),
    FuzzTarget("manifest", ManifestReading.read),
    FuzzTarget("record", RecordReading.read),
    FuzzTarget("list", ListReading.read),
    FuzzTarget("library", LibraryReading.read),
    // Texts.
    FuzzTarget("template", TemplateReading.read),
    FuzzTarget("pattern", PatternReading.read),
  ]
}
