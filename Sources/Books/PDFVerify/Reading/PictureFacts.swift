import BookExpectations
import ImageCore
import Synchronization

/// The facts that an image dictionary states (PDF 32000-1:2008, 8.9.5).
struct PictureFacts: Sendable, Equatable {
  enum ColourSpace: Sendable, Equatable {
    case gray, rgb, cmyk
    /// Any other colour space, such as `Indexed`, given by its name.
    case other(String)

    var componentCount: Int {
      switch self {
      case .gray: 1
      case .cmyk: 4
      case .rgb, .other: 3
      }
    }

    /// The name of the corresponding device colour space.
    var deviceName: String {
      switch self {
      case .gray: "DeviceGray"
      case .cmyk: "DeviceCMYK"
      case .rgb, .other: "DeviceRGB"
      }
    }
  }

  let object: Int
  let width: Int
  let height: Int
  let bits: Int
  /// The bits per component in the dictionary; nil if only the data contains them.
  let statedBits: Int?
  let colourSpace: ColourSpace
  var hasProfile: Bool { profile != nil }
  /// The colours of an indexed picture, three bytes each; nil for other pictures, or if the palette cannot be used.
  let palette: [UInt8]?
  /// The name of the device colour space that corresponds to the values, or to the palette's colours.
  let deviceName: String
  /// The number of the ICC profile's object.
  let profile: Int?
  /// The only filter; nil for none. If there are several filters: the first one that PDF does not define, or else
  /// `"several"`.
  let filter: String?
  let parameters: [String: PDFValue]
  let mask: Int?
  /// Whether opacity inside the picture's JPEG 2000 data is to be applied (`SMaskInData`, 11.6.5.3).
  let hasOpacityInData: Bool
  /// Whether a Decode array inverts the CMYK values.
  let isInverted: Bool
  /// Whether the dictionary masks pixels or maps values in a way that imghost never writes.
  let hasForeignMask: Bool

  /// Whether another program compressed the picture. Lossless data that imghost writes, or copies from a PNG, has a
  /// separate filter for each row (Predictor 15).
  var isRepacked: Bool {
    switch filter {
    case "DCTDecode", "JPXDecode", "CCITTFaxDecode": false
    case "FlateDecode": parameters["Predictor"]?.integer != 15
    default: true
    }
  }

  /// The filters of PDF 32000-1:2008, table 6.
  static let filters: Set = [
    "ASCIIHexDecode", "ASCII85Decode", "LZWDecode", "FlateDecode", "RunLengthDecode",
    "CCITTFaxDecode", "JBIG2Decode", "DCTDecode", "JPXDecode", "Crypt",
  ]

  /// Reads the facts; nil if the dictionary is not of an image, or if a side is not from 1 to 1,000,000 pixels.
  init?(_ object: Int, _ entries: [String: PDFValue], _ file: PDFFile) {
    guard entries["Subtype"]?.name == "Image",
      let width = file.resolve(entries["Width"]).integer, width > 0, width <= 1_000_000,
      let height = file.resolve(entries["Height"]).integer, height > 0, height <= 1_000_000
    else { return nil }
    self.object = object
    self.width = width
    self.height = height
    statedBits = file.resolve(entries["BitsPerComponent"]).integer
    bits = statedBits ?? 8
    let space = file.resolve(entries["ColorSpace"])
    colourSpace = Self.space(space, file).0
    let isIndexed = space.array?.first == .name("Indexed")
    let base = isIndexed ? file.resolve(space.array?.dropFirst().first) : space
    profile = base.array?.first == .name("ICCBased") ? base.array?.dropFirst().first?.reference : nil
    deviceName = Self.space(base, file).0.deviceName
    palette = isIndexed ? Self.palette(space.array ?? [], base, file) : nil
    switch file.resolve(entries["Filter"]) {
    case .name(let name): filter = name
    case .array(let names) where names.count == 1: filter = file.resolve(names[0]).name
    case .array(let names) where names.count > 1:
      filter = names.compactMap { file.resolve($0).name }.first { !Self.filters.contains($0) } ?? "several"
    default: filter = nil
    }
    let parameters = file.resolve(entries["DecodeParms"])
    self.parameters = parameters.dictionary ?? parameters.array.flatMap { $0.first?.dictionary } ?? [:]
    mask = entries["SMask"]?.reference
    // Only a direct value can be changed in the copy of the file that poppler reads.
    let opacity = filter == "JPXDecode" ? entries["SMaskInData"] : nil
    hasOpacityInData = opacity?.integer == 1 || opacity?.integer == 2
    let isForeignOpacity = opacity != nil && opacity?.integer != 0 && (!hasOpacityInData || mask != nil)
    let decode = file.resolve(entries["Decode"])
    isInverted = colourSpace == .cmyk && decode.array?.map { file.resolve($0).number } == [1, 0, 1, 0, 1, 0, 1, 0]
    hasForeignMask =
      entries["Mask"] != nil || entries["ImageMask"] == .boolean(true) || isForeignOpacity
      || (!isInverted && Self.changesValues(decode))
  }

  /// Returns whether a Decode array (8.9.5.2) changes values. The default array does not.
  private static func changesValues(_ decode: PDFValue) -> Bool {
    (decode.array ?? []).enumerated().contains { index, value in
      index % 2 == 0 ? value.number != 0 : (value.number ?? 0) < 1
    }
  }

  /// Returns the colours of a palette as RGB (8.6.6.3); nil if it is damaged, or if its base space is neither RGB nor
  /// gray.
  private static func palette(_ items: [PDFValue], _ base: PDFValue, _ file: PDFFile) -> [UInt8]? {
    guard items.count == 4, let last = file.resolve(items[2]).integer, (0...255).contains(last)
    else { return nil }
    let bytes: [UInt8]
    if case .string(let string) = file.resolve(items[3]) {
      bytes = string
    } else if let object = items[3].reference.flatMap(file.object), let decoded = file.decoded(object, limit: 65_536) {
      bytes = decoded
    } else {
      return nil
    }
    switch space(base, file).0 {
    case .rgb: return bytes.count >= (last + 1) * 3 ? Array(bytes.prefix((last + 1) * 3)) : nil
    case .gray: return bytes.count > last ? bytes[...last].flatMap { [$0, $0, $0] } : nil
    default: return nil
    }
  }

  private static func space(_ value: PDFValue, _ file: PDFFile) -> (ColourSpace, Bool) {
    switch value {
    case .name("DeviceGray"): return (.gray, false)
    case .name("DeviceRGB"): return (.rgb, false)
    case .name("DeviceCMYK"): return (.cmyk, false)
    case .array(let items) where items.first == .name("ICCBased") && items.count == 2:
      switch file.resolve(file.resolve(items[1]).dictionary?["N"]).integer {
      case 1: return (.gray, true)
      case 3: return (.rgb, true)
      case 4: return (.cmyk, true)
      default: return (.other("ICCBased"), true)
      }
    case .array(let items): return (.other(items.first?.name ?? "unknown"), false)
    case .name(let name): return (.other(name), false)
    default: return (.other("none"), false)
    }
  }
}

/// The digests of the stored pictures of a file, by object number. Each picture is read once.
final class PictureIdentities: Sendable {
  struct Identity: Sendable {
    /// The digest of the stream's bytes.
    let stream: SHA256Digest
    /// The digest of all stored parts, computed in the same way as by the writer.
    let all: ShortDigest
    /// For each addition to the picture, the value that `all` would have without it.
    let without: [PictureAddition: ShortDigest]
  }

  private let file: PDFFile
  private let known = Mutex<[Int: Identity]>([:])

  init(_ file: PDFFile) { self.file = file }

  /// - Parameter stream: the range of the stream's bytes.
  func identity(of facts: PictureFacts, stream: Range<Int>) -> Identity {
    if let identity = known.withLock({ $0[facts.object] }) { return identity }
    let digest = SHA256.digest(of: UnsafeRawBufferPointer(rebasing: file.bytes[stream]))
    let identity = Identity(stream: digest, all: ShortDigest(combined(facts, digest)), without: without(facts, digest))
    known.withLock { $0[facts.object] = identity }
    return identity
  }

  private func without(_ facts: PictureFacts, _ digest: SHA256Digest) -> [PictureAddition: ShortDigest] {
    var result: [PictureAddition: ShortDigest] = [:]
    for one in PictureAddition.allCases {
      let isThere = one == .mask ? facts.mask != nil : facts.profile != nil
      guard isThere else { continue }
      result[one] = ShortDigest(combined(facts, digest, without: one))
    }
    return result
  }

  private func combined(_ facts: PictureFacts, _ digest: SHA256Digest, without left: PictureAddition? = nil)
    -> SHA256Digest
  {
    // Only this parameter records that fax data stores black pixels as 1.
    let isInverted = facts.filter == "CCITTFaxDecode" && facts.parameters["BlackIs1"] == .boolean(true)
    let meaning = isInverted ? Array("BlackIs1".utf8) : facts.palette ?? []
    let mask = (left == .mask ? nil : facts.mask).flatMap(file.object)?.stream.map {
      SHA256.digest(of: UnsafeRawBufferPointer(rebasing: file.bytes[$0]))
    }
    let profile = (left == .profile ? nil : facts.profile).flatMap(file.object).flatMap {
      file.decoded($0, limit: 64 << 20)
    }.map { SHA256.digest(of: $0) }
    guard mask != nil || profile != nil || !meaning.isEmpty else { return digest }
    var hash = SHA256()
    hash.update(digest.bytes)
    hash.update((mask ?? SHA256.digest(of: [])).bytes)
    hash.update((profile ?? SHA256.digest(of: [])).bytes)
    if !meaning.isEmpty { hash.update(meaning) }
    return hash.finish()
  }
}

/// A part that may belong to a picture, but may also have been added by another program.
enum PictureAddition: String, Sendable, CaseIterable {
  case mask = "soft mask"
  case profile = "ICC profile"

  /// The indefinite article before the addition's name in a sentence.
  var article: String { self == .mask ? "a" : "an" }
}
