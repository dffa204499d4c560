/// The memory and time that a check of a page takes.
struct PageCost: Sendable {
  /// The megapixels, rounded down: those of all pictures in the page's resources together, and those of the largest
  /// one.
  private(set) var megapixels = (all: 0, largest: 0)
  /// Bytes of memory for the picture that takes the most, in poppler and in the verifier.
  private(set) var bytes = 0
  /// Bytes of memory if the whole page is rendered once, at print size, see `RenderingPage.longestPrintedSide`.
  private(set) var scaledBytes = 0

  /// Returns the bytes of memory that a check of the page takes: at full scale if the limit allows it, else at a
  /// reduced scale; nil if the limit allows neither.
  func share(of limits: MemoryLimits) -> Int? {
    bytes <= limits.bytes ? bytes : scaledBytes <= limits.bytes ? scaledBytes : nil
  }

  /// The maximum number of pictures that are counted. If a page has thousands of pictures, they are small.
  private static let mostCounted = 256

  init(_ entries: [String: PDFValue], _ file: PDFFile, _ limits: MemoryLimits) {
    let resources = file.resolve(entries["Resources"]).dictionary ?? [:]
    let pictures = file.resolve(resources["XObject"]).dictionary ?? [:]
    var (all, largest) = (0, 0)
    for number in Set(pictures.values.compactMap(\.reference)).sorted().prefix(Self.mostCounted) {
      guard let object = file.object(number), let stream = object.stream,
        let facts = PictureFacts(number, object.dictionary, file)
      else { continue }
      let pixels = facts.width * facts.height
      (all, largest) = (all + pixels, max(largest, pixels))
      let data = UnsafeRawBufferPointer(rebasing: file.bytes[stream])
      // Poppler keeps every picture as a whole in cairo, at four bytes per pixel, even if only a part of it is
      // rendered.
      let shown = pixels * 4 + min(pixels, limits.bandPixels) * 4
      let stored = Self.storedBytes(facts, pixels, data, limits)
      bytes = max(bytes, shown + stored)
      // Rendered pixels take four bytes each, and four more while they are compared.
      let printed = RenderingPage.printedPixels(facts.width, facts.height) * 4 + PageSheet.pixelCount * 8
      scaledBytes = max(scaledBytes, printed + stored)
    }
    megapixels = (all / 1_000_000, largest / 1_000_000)
  }

  /// Returns the bytes of memory that a picture takes besides cairo's copy of it.
  private static func storedBytes(
    _ facts: PictureFacts, _ pixels: Int, _ data: UnsafeRawBufferPointer, _ limits: MemoryLimits
  ) -> Int {
    let mask = facts.mask == nil ? 0 : pixels * 2
    let bands = facts.palette == nil && facts.colourSpace == .gray ? 1 : 3
    let rows = pixels * bands * (facts.bits == 16 ? 2 : 1)
    switch facts.filter {
    case "DCTDecode":
      // Each coefficient takes two bytes in each of the two decoders, poppler's and the verifier's.
      let coefficients = JPEGMarkers(data).isProgressive ? rows * 4 : 0
      return mask + coefficients + data.count + (pixels > limits.wholePixels ? facts.width * bands * 64 : rows)
    case "JPXDecode":
      // Each sample takes four bytes in each of the two decoders.
      return mask + rows + pixels * facts.colourSpace.componentCount * 8
    default: return mask + rows
    }
  }
}
