import ImageCore
import PDFBook

/// The format of the records in a pack, see `PagePackWriter`.
enum PackRecord {
  enum Kind: UInt8 {
    /// A colour profile. Later pages refer to it by its number.
    case profile = 1
    case page = 2
    /// A picture that could not be made. The manifest states the reason.
    case failed = 3
  }

  static let magic = Array("imghost page pack 2\n".utf8)
  /// The number of bytes at the start of a record: the sizes of its head (32 bits) and of its stream (64 bits).
  static let prefixByteCount = 12
  /// The maximum size of a head in bytes. The largest part of a head is the picture's compressed soft mask.
  static let mostHeadBytes = 1 << 30
}

/// The facts about a picture, other than its pixels, as a pack stores them.
struct PackedFacts {
  /// The picture's index in the plan.
  let place: Int
  /// The path of the file that the picture is based on; nil for none.
  let origin: String?
  let texts: PageTexts
  let layout: LayoutPicture?
  let digest: SHA256Digest
  let orientation: Orientation
  var isFlattened = false
  var isCut = false
  var focus: CropFocus?
  var intended: IntendedPixels?
  var sources = PictureSources()

  private enum Flag {
    static let flattened: UInt8 = 1
    static let cut: UInt8 = 2
    static let focus: UInt8 = 4
    static let intended: UInt8 = 8
    static let drawn: UInt8 = 16
    static let firstSource: UInt8 = 32
    static let layout: UInt8 = 64
    static let texts: UInt8 = 128
  }

  init(_ page: EncodedPicture, layout: LayoutPicture?, digest: SHA256Digest, orientation: Orientation) {
    (place, origin, texts) = (page.place, page.origin, page.texts)
    self.layout = layout
    self.digest = digest
    self.orientation = orientation
    isFlattened = page.isFlattened
    isCut = page.isCut
    focus = page.focus
    intended = page.intended
    sources = page.sources
  }

  func append(to record: inout WireWriter) {
    var flags: UInt8 = 0
    if isFlattened { flags |= Flag.flattened }
    if isCut { flags |= Flag.cut }
    if focus != nil { flags |= Flag.focus }
    if intended != nil { flags |= Flag.intended }
    if sources.isDrawn { flags |= Flag.drawn }
    if sources.first != nil { flags |= Flag.firstSource }
    if layout != nil { flags |= Flag.layout }
    if texts !== PageTexts.none { flags |= Flag.texts }
    record.append(flags)
    record.append(UInt32(place))
    // An empty path means none.
    record.append(origin ?? "")
    layout?.append(to: &record)
    if texts !== PageTexts.none { texts.append(to: &record) }
    record.append(UInt8(orientation.rawValue))
    record.append(digest)
    if let focus {
      record.append(focus.x)
      record.append(focus.y)
    }
    if let intended {
      record.append(intended.encodedPSNR)
      record.append(text: intended.fingerprint.cells)
    }
    if let first = sources.first { record.append(first) }
    record.append(UInt32(sources.others.count))
    for other in sources.others { record.append(other) }
  }

  init(_ record: inout WireReader) throws(WireError) {
    let flags = try record.integer(UInt8.self)
    place = Int(try record.integer(UInt32.self))
    let path = try record.string()
    origin = path.isEmpty ? nil : path
    layout = flags & Flag.layout != 0 ? try LayoutPicture(&record) : nil
    texts = flags & Flag.texts != 0 ? try PageTexts.read(&record) : .none
    guard let orientation = Orientation(rawValue: Int(try record.integer(UInt8.self))) else { throw WireError() }
    self.orientation = orientation
    digest = try Self.digest(&record)
    isFlattened = flags & Flag.flattened != 0
    isCut = flags & Flag.cut != 0
    if flags & Flag.focus != 0 { focus = CropFocus(x: try record.number(), y: try record.number()) }
    if flags & Flag.intended != 0 {
      let decibels = try record.number()
      guard let print = PixelFingerprint(cells: Array(try record.text())) else { throw WireError() }
      intended = IntendedPixels(fingerprint: print, encodedPSNR: decibels)
    }
    sources.isDrawn = flags & Flag.drawn != 0
    if flags & Flag.firstSource != 0 { sources.first = try Self.digest(&record) }
    for _ in 0..<(try record.integer(UInt32.self)) { sources.others.append(try Self.digest(&record)) }
  }

  private static func digest(_ record: inout WireReader) throws(WireError) -> SHA256Digest {
    guard let digest = SHA256Digest(bytes: try record.text()) else { throw WireError() }
    return digest
  }
}

extension WireWriter {
  fileprivate mutating func append(_ digest: SHA256Digest) { append(text: digest.bytes) }
}
