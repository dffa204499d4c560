import ImageCore
import ImageMetadata

/// The Netpbm formats: PBM, PGM, PPM and PFM as the codec `pnm`, PAM as the codec `pam`. Each picture in a file is a
/// page.
public struct PNMCodec: PictureCodec {
  public enum Family: Sendable {
    /// The formats P1 to P6, PF and Pf.
    case anymap
    /// The format P7, which can have alpha.
    case arbitrary
  }

  private let family: Family

  public init(_ family: Family) { self.family = family }

  public var name: String { family == .anymap ? "pnm" : "pam" }
  public var extensions: [String] { family == .anymap ? ["pnm", "ppm", "pgm"] : ["pam"] }
  public var holdsProfile: Bool { false }
  public var writesMetadata: Bool { false }
  public var saveParameters: [ParameterDescriptor] { [BitDepth.parameter, MetadataChoice.parameter] }
  public var isLossless: Bool { true }
  public var cost: CodingCost { family == .anymap ? CodingCost(stored: 4, encoded: 6) : CodingCost() }

  static let excess = CodecError.damaged("a sample is larger than the file's maximum")

  public func recognises(_ prefix: [UInt8]) -> Bool { NetpbmSignature.family(prefix) == family }

  public func readHeader(_ file: InputFile) throws(PictureError) -> PictureHeader { try readHeader(file, .first) }

  public func readHeader(_ file: InputFile, _ selection: PageSelection) throws(PictureError) -> PictureHeader {
    if let option = selection.options.named.first {
      throw .codec(.unsupported("the option '\(option.name)' for \(title) files"))
    }
    let (header, pageCount) = try PNMHeader.read(.file(file), page: selection.page)
    let format = header.layout.format
    var details: [String: MetadataValue] = [
      "bits": .integer(header.sampleBits),
      "colour": .text((format.model == .gray ? "gray" : "RGB") + (format.hasAlpha ? " with alpha" : "")),
      "compression": .text("none"),
      "text": .integer(header.storage == .text ? 1 : 0),
    ]
    if pageCount > 1 { details["pages"] = .integer(pageCount) }
    return PictureHeader(
      codec: name, layout: header.layout, metadata: PictureMetadata(), details: details, isEmbeddable: false,
      pageCount: pageCount)
  }

  /// Returns whether the last row of the last page is present; false for text formats, where this is unknown.
  public func endsProperly(_ file: InputFile) -> Bool {
    guard let first = try? PNMHeader.read(.file(file), page: 1),
      let last = try? PNMHeader.read(.file(file), page: first.pageCount), let end = last.header.pixelEnd
    else { return false }
    return end <= file.byteCount
  }

  public func makeDecoder(_ file: InputFile, header: PictureHeader, options: DecodeOptions)
    throws(PictureError) -> any RowSource
  {
    let picture = try PNMHeader.read(.file(file), page: options.selection.page).header
    let isText = picture.storage == .text
    guard let region = options.region else {
      return isText
        ? PNMTextDecoder(.file(file), picture, acceptsDamage: options.acceptsDamage)
        : try PNMDecoder(.file(file), picture, acceptsDamage: options.acceptsDamage)
    }
    guard picture.layout == header.layout else { throw .codec(.changed) }
    guard !isText else {
      return CroppedSource(PNMTextDecoder(.file(file), picture, acceptsDamage: options.acceptsDamage), region)
    }
    // Rows above the region are not read.
    return CroppedSource(
      try PNMDecoder(.file(file), picture, first: region.top, acceptsDamage: options.acceptsDamage),
      Region(left: region.left, top: 0, width: region.width, height: region.height))
  }

  /// Returns the layout, without alpha unless the family is PAM.
  public func encodedLayout(for layout: PictureLayout) -> PictureLayout {
    family == .arbitrary ? layout : layout.with(format: layout.format.with(alpha: false))
  }

  public func makeEncoder(to sink: any ByteSink, layout: PictureLayout, metadata: PictureMetadata, arguments: Arguments)
    throws(PictureError) -> any PictureEncoder
  {
    try PNMEncoder(to: sink, layout: layout, isArbitrary: family == .arbitrary)
  }
}

/// Recognises the Netpbm formats by their headers, because many texts begin with the same two letters.
enum NetpbmSignature {
  /// Returns the family of a file according to its first bytes; nil for any other file.
  static func family(_ prefix: [UInt8]) -> PNMCodec.Family? {
    guard prefix.count > 2, prefix[0] == UInt8(ascii: "P") else { return nil }
    var header = Header(rest: prefix[2...])
    switch prefix[1] {
    case UInt8(ascii: "1")...UInt8(ascii: "6"):
      return header.isAnymap(kind: prefix[1] - UInt8(ascii: "0")) ? .anymap : nil
    case UInt8(ascii: "7"): return header.isArbitraryMap() ? .arbitrary : nil
    case UInt8(ascii: "F"), UInt8(ascii: "f"): return header.isFloatMap() ? .anymap : nil
    default: return nil
    }
  }

  /// Parses words between white space, and skips comments from `#` to the end of the line (netpbm's pnm(5), pam(5)).
  private struct Header {
    var rest: ArraySlice<UInt8>

    /// Returns whether width, height and, except in bitmaps, the maximum value follow.
    mutating func isAnymap(kind: UInt8) -> Bool {
      guard hasSize() else { return false }
      switch kind {
      case 1: return word().map { $0.allSatisfy { $0 == "0" || $0 == "1" } } ?? true
      case 4: return true
      default: return number(upTo: 65_535)
      }
    }

    /// Returns whether a new line with a keyword of PAM follows.
    mutating func isArbitraryMap() -> Bool {
      guard rest.first == UInt8(ascii: "\n") || rest.first == UInt8(ascii: "\r") else { return false }
      let keywords = ["WIDTH", "HEIGHT", "DEPTH", "MAXVAL", "TUPLTYPE", "ENDHDR"]
      return word().map { keywords.contains($0) } ?? false
    }

    /// Returns whether width, height and a scale follow; the sign of the scale is the byte order.
    mutating func isFloatMap() -> Bool {
      hasSize() && word().flatMap { Double($0) }.map { $0.isFinite && $0 != 0 } ?? false
    }

    private mutating func hasSize() -> Bool {
      let most = 1_000_000_000
      return number(upTo: most) && number(upTo: most)
    }

    private mutating func number(upTo most: Int) -> Bool {
      guard let word = word(), word.allSatisfy(\.isNumber), let number = Int(word) else { return false }
      return (1...most).contains(number)
    }

    /// Returns at most the first 32 bytes of the next word; nil at the end, or if neither white space nor a comment
    /// precedes it.
    private mutating func word() -> String? {
      func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
      let start = rest.startIndex
      while let byte = rest.first, isSpace(byte) || byte == UInt8(ascii: "#") {
        rest = isSpace(byte) ? rest.dropFirst() : rest.drop { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      }
      guard rest.startIndex > start else { return nil }
      let word = rest.prefix { !isSpace($0) && $0 != UInt8(ascii: "#") }.prefix(32)
      rest = rest[word.endIndex...]
      return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }
  }
}
