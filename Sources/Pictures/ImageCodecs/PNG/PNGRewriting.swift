import CPNG
import ImageCore

/// Reads and replaces the metadata of PNGs without decoding pixels.
extension PNGCodec {
  private static let metadataTypes = ["eXIf", "tEXt", "zTXt", "iTXt", "tIME"]
  private static let mostChunks = 200_000

  /// Calls `body` with the range (including length and checksum) and the type of each chunk before IEND, until `body`
  /// returns false.
  private static func visitChunks(
    of file: InputFile, _ body: (_ place: Range<Int>, _ type: String) throws(PictureError) -> Bool
  ) throws(PictureError) {
    var place = 8
    for _ in 0..<mostChunks {
      let head = try ByteSource.file(file).bytes(at: place, upTo: 8)
      guard head.count == 8 else { return }
      let chunk = place..<place + 12 + head[..<4].reduce(0) { $0 << 8 | Int($1) }
      let type = String(decoding: head[4...], as: UTF8.self)
      guard chunk.upperBound <= file.byteCount, type != "IEND", try body(chunk, type) else { return }
      place = chunk.upperBound
    }
  }

  /// Returns the ranges of EXIF, texts and the modification time; nil if the file cannot be read.
  public func metadataPlaces(in file: InputFile) -> MetadataPlaces? {
    var places: [Range<Int>] = []
    do throws(PictureError) {
      try Self.visitChunks(of: file) { place, type in
        if Self.metadataTypes.contains(type) { places.append(place) }
        return true
      }
    } catch {
      return nil
    }
    return MetadataPlaces(places)
  }

  /// Writes everything before the pixels as `PNGWriter` does, with the palette of the file, and copies the rest.
  /// Returns false if the file has no valid IHDR chunk or no IDAT chunk.
  public func rewrite(
    _ file: InputFile, to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments,
    context: OperationContext
  ) throws(PictureError) -> Bool {
    var chunks: [String: [UInt8]] = [:]
    var start: Int?
    try Self.visitChunks(of: file) { (place, type) throws(PictureError) in
      if type == "IDAT" {
        start = place.lowerBound
        return false
      }
      if ["IHDR", "PLTE", "tRNS"].contains(type) {
        chunks[type] = try ByteSource.file(file).bytes(at: place.lowerBound + 8, upTo: place.count - 12)
      }
      return true
    }
    guard let start, let header = chunks["IHDR"], let ihdr = spng_ihdr(header) else { return false }
    let palette = chunks["PLTE"].map { PNGPalette($0, alpha: chunks["tRNS"] ?? []) }
    // As in `PNGIndexWriter`, the colours of a palette are RGB.
    let model = palette == nil ? layout.format.model : .rgb
    try PNGWriter(to: sink).writeHeader(
      ihdr, palette: palette,
      metadata: PNGMetadata(metadata, layout.with(format: layout.format.with(model: model))))
    try ByteSource.file(file).copy(start..<file.byteCount, to: sink)
    return true
  }
}

extension spng_ihdr {
  /// Reads the contents of an IHDR chunk (PNG, 11.2.2); nil if their length is wrong.
  fileprivate init?(_ bytes: [UInt8]) {
    guard bytes.count == 13 else { return nil }
    func number(_ place: Int) -> UInt32 { bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    self.init(
      width: number(0), height: number(4), bit_depth: bytes[8], color_type: bytes[9], compression_method: bytes[10],
      filter_method: bytes[11], interlace_method: bytes[12])
  }
}

extension PNGPalette {
  /// Reads the contents of a PLTE and a tRNS chunk.
  fileprivate init(_ bytes: [UInt8], alpha: [UInt8]) {
    self.init(
      (0..<bytes.count / 3).map { index in
        let colour = bytes[3 * index..<3 * index + 3].reduce(0) { $0 << 8 | UInt32($1) }
        return colour << 8 | UInt32(index < alpha.count ? alpha[index] : 255)
      })
  }
}
