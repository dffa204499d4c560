import ImageCore
import ImageMetadata

/// The digests of a source file.
package struct PictureDigest: Sendable, Hashable {
  /// The SHA-256 of all bytes.
  package let whole: SHA256Digest
  /// A digest of everything that pixels depend on: the bytes outside metadata, and what the header says about pixels.
  /// Nil if these cannot be separated from metadata.
  package let pixels: SHA256Digest?

  /// The digest of everything that pixels depend on, or of all bytes if `pixels` is nil.
  package var shown: SHA256Digest { pixels ?? whole }

  package init(whole: SHA256Digest, pixels: SHA256Digest?) { (self.whole, self.pixels) = (whole, pixels) }

  /// The digests recorded for a file that does not exist, such as a sidecar that may be created later.
  package static let missing = PictureDigest(
    whole: SHA256.digest(of: Array("missing".utf8)), pixels: withoutPixels)
  /// The digest for a file that does not affect pixels, such as a sidecar.
  private static let withoutPixels = SHA256.digest(of: [])

  /// Computes the digests of a file in one pass; nil if the file cannot be read.
  init?(path: String, _ recognise: (InputFile) throws(PictureError) -> any PictureCodec) {
    guard let file = try? InputFile(path: path) else { return nil }
    let isSidecar = Sidecar.isOne(file)
    guard !isSidecar, let codec = try? recognise(file), let places = codec.metadataPlaces(in: file) else {
      guard let whole = try? SHA256.digest(of: file, count: file.byteCount) else { return nil }
      self.init(whole: whole, pixels: isSidecar ? Self.withoutPixels : nil)
      return
    }
    do throws(PictureError) {
      let (whole, pixels) = try Self.digests(of: file, metadata: places.places)
      var shown: SHA256?
      if let header = try? codec.readHeader(file), let facts = Self.facts(header) {
        var hash = SHA256()
        hash.update(pixels)
        if let fields = places.fields { hash.update(fields) }
        hash.update(Array(facts.utf8))
        shown = hash
      }
      self.init(whole: whole, pixels: shown?.finish())
    } catch {
      return nil
    }
  }

  /// Returns the digest of all bytes of a file, and the digest of the bytes outside `places`, which are in ascending
  /// order.
  private static func digests(of file: InputFile, metadata places: [Range<Int>]) throws(PictureError) -> (
    whole: SHA256Digest, pixels: SHA256Digest
  ) {
    var (whole, pixels) = (SHA256(), SHA256())
    var place = 0
    for range in places + [file.byteCount..<file.byteCount] {
      try SHA256.read(file, place..<range.lowerBound) { bytes in
        whole.update(bytes)
        pixels.update(bytes)
      }
      try SHA256.read(file, range) { whole.update($0) }
      place = range.upperBound
    }
    return (whole.finish(), pixels.finish())
  }

  /// Returns what a header says about pixels; nil if pixels may depend on other metadata, too.
  private static func facts(_ header: PictureHeader) -> String? {
    let metadata = header.metadata
    // The parameters of a gain map are in XMP, which is metadata, but affects pixels.
    guard !metadata.losses.contains(.gainMap) else { return nil }
    let details = header.details.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return """
      \(header.codec) \(header.layout) \(header.pageCount) \(header.delay ?? -1) \(String(describing: header.stored))
      \(header.shrinkFactors) \(header.hasFineShrinks) \(header.hasCositedShrinks) \(header.isEmbeddable) \(details)
      \(metadata.orientation) \(String(describing: metadata.resolution)) \(metadata.losses)
      \(SHA256.digest(of: metadata.iccProfile))
      """
  }
}

extension Environment {
  /// Returns the digests of a source, by its path; nil if it cannot be read.
  var digest: @Sendable (String) -> PictureDigest? {
    let recognise = recognise
    return { PictureDigest(path: $0, recognise) }
  }
}
