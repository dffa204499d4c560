import CPluginABI
import ImageCore

/// The kinds of metadata that are transferred with pixels, each as bytes.
package enum MetadataPart: UInt8, Sendable, CaseIterable {
  case icc, exif, xmp, iptc

  /// The maximum size of one kind of metadata of a file, in bytes.
  package static let maximumByteCount = 16 << 20
  /// The maximum size of the metadata in one message, in bytes.
  static let pieceByteCount = 64 << 10

  /// The name of this kind of metadata in notes.
  private var block: MetadataLoss.Block {
    switch self {
    case .icc: .icc
    case .exif: .exif
    case .xmp: .xmp
    case .iptc: .iptc
    }
  }

  /// The note that a file's metadata of this kind is too large.
  package var excess: MetadataLoss {
    .unreadable(block, reason: "it has more than \(Self.maximumByteCount >> 20) MB")
  }
}

/// A page of a file as a codec describes it: the body of an `opened` message. Validated, because the worker is not
/// trusted.
package struct CodecImage: Sendable, Hashable {
  package var flags: UInt32 = 0
  package var pageCount = 1
  package var layout: PictureLayout
  package var shrinks: [Int] = []
  package var workingByteCount = 0
  /// The time for which an animation shows the page, in seconds.
  package var delay = 0.0
  package var loopCount = 0
  /// The orientation; nil if the format does not contain one, so that EXIF or XMP determines it.
  package var orientation: Orientation?
  package var resolution: Resolution?
  /// The number of bytes of each `MetadataPart`; 0 for parts that are too large.
  package var metadata: [Int] = [0, 0, 0, 0]
  package var largeMetadata: [MetadataPart] = []
  package var colour = ColourCode(primaries: 0, transfer: 0)
  package var facts: [String: MetadataValue] = [:]
}

extension CodecImage {
  /// Whether rows can be read strip by strip.
  package var isStreamed: Bool { flags & IMGHOST_IMAGE_STREAMED != 0 }
  /// Whether a PDF can contain the file's pixels in their stored form.
  package var isEmbeddable: Bool { flags & IMGHOST_IMAGE_EMBEDDABLE != 0 }
  /// Whether rows that the codec shrinks have the quality of resized rows.
  package var hasFineShrinks: Bool { flags & IMGHOST_IMAGE_FINE_SHRINKS != 0 }
  package var hasCositedShrinks: Bool { flags & IMGHOST_IMAGE_COSITED_SHRINKS != 0 }
  /// The form in which the page is stored, if the codec can provide it.
  package var stored: StoredForm? {
    if flags & IMGHOST_IMAGE_JPEG != 0 { return flags & IMGHOST_IMAGE_RESTORABLE != 0 ? .original : .jpeg }
    return flags & IMGHOST_IMAGE_FAX != 0 ? .fax : nil
  }
  /// Whether pages are frames of an animation.
  package var isAnimated: Bool { flags & IMGHOST_IMAGE_ANIMATED != 0 }

  static let maximumShrinks = 16
  static let maximumFacts = 64

  /// Returns the size of a page that exceeds the limits for all pictures; nil for other pages.
  static func excess(_ body: WireReader) -> (width: Int, height: Int)? {
    var reader = body
    for _ in 0..<4 { guard (try? reader.integer(UInt32.self)) != nil else { return nil } }
    guard let width = try? reader.integer(Int32.self), let height = try? reader.integer(Int32.self), width > 0,
      height > 0,
      (try? PictureLayout.checked(width: Int(width), height: Int(height), format: .gray8)) == nil
    else { return nil }
    return (Int(width), Int(height))
  }

  package init(from reader: inout WireReader) throws(WireError) {
    let flags = try reader.integer(UInt32.self)
    let pageCount = try reader.integer(UInt32.self)
    let (sample, bands) = (try reader.integer(UInt32.self), try reader.integer(UInt32.self))
    let (width, height) = (try reader.integer(Int32.self), try reader.integer(Int32.self))
    guard let format = PixelFormat(sample: sample, bands: bands, isInk: flags & IMGHOST_IMAGE_CMYK != 0), pageCount > 0,
      let layout = try? PictureLayout.checked(width: Int(width), height: Int(height), format: format)
    else { throw WireError() }
    self.init(layout: layout)
    (self.flags, self.pageCount) = (flags, Int(pageCount))
    let count = try reader.integer(UInt32.self)
    guard count <= Self.maximumShrinks else { throw WireError() }
    for _ in 0..<count {
      let shrink = Int(try reader.integer(UInt32.self))
      guard shrink > shrinks.last ?? 1, shrink <= 1 << 16 else { throw WireError() }
      shrinks.append(shrink)
    }
    workingByteCount = Int(clamping: min(try reader.integer(UInt64.self), 1 << 50))
    let delay = try reader.number()
    self.delay = delay >= 0 && delay < 1e6 ? delay : 0
    loopCount = Int(try reader.integer(UInt32.self))
    let stated = Int(try reader.integer(UInt32.self))
    orientation = Orientation(rawValue: stated)
    guard orientation != nil || stated == 0 else { throw WireError() }
    let (across, down) = (try reader.number(), try reader.number())
    resolution = Resolution(horizontal: across, vertical: down)
    for part in metadata.indices {
      let bytes = try reader.integer(UInt64.self)
      let isLarge = bytes > MetadataPart.maximumByteCount
      metadata[part] = isLarge ? 0 : Int(bytes)
      if isLarge { largeMetadata += [MetadataPart(rawValue: UInt8(part))].compactMap { $0 } }
    }
    colour = ColourCode(
      primaries: Int(try reader.integer(UInt32.self)), transfer: Int(try reader.integer(UInt32.self)))
    let peak = try reader.number()
    colour.peak = peak > 0 && peak < 1e6 ? peak : 0
    let factCount = try reader.integer(UInt32.self)
    guard factCount <= Self.maximumFacts else { throw WireError() }
    for _ in 0..<factCount {
      let name = try reader.line()
      let isText = try reader.integer(UInt8.self) != 0
      let (text, number) = (try reader.line(), try reader.number())
      guard !name.isEmpty else { throw WireError() }
      facts[name] = isText ? .text(text) : Self.value(number)
    }
    try reader.finish()
  }

  /// Returns a number as an integer if it is whole, and 0 if it is not finite.
  private static func value(_ number: Double) -> MetadataValue {
    Int(exactly: number).map { .integer($0) } ?? .number(number.isFinite ? number : 0)
  }
}

extension PixelFormat {
  /// Makes a format from constants of imghost_plugin.h; nil for one that codecs must not return.
  package init?(sample: UInt32, bands: UInt32, isInk: Bool) {
    guard (1...2).contains(sample), (isInk ? 4...5 : 1...4).contains(bands) else { return nil }
    let model: ColourModel = isInk ? .cmyk : bands < 3 ? .gray : .rgb
    self.init(sample == 1 ? .u8 : .u16, model, alpha: Int(bands) > model.bandCount)
  }
}

/// A request for rows of an open page: the body of a `read` message. The codec writes the rows to the end of the
/// output.
package struct ReadRequest: Sendable, Hashable {
  package var shrink: Int
  package var acceptsDamage: Bool
  /// The region of interest, in pixels of the shrunk page.
  package var region: Region
  /// The rows of this request, in rows of the shrunk page.
  package var rows: Range<Int>
  /// The number of bytes from one row to the next.
  package var stride: Int
  /// The number of bytes of the output that follow the rows.
  package var bytesBehind: Int

  package init(shrink: Int, acceptsDamage: Bool, region: Region, rows: Range<Int>, stride: Int, bytesBehind: Int = 0) {
    self.shrink = shrink
    self.acceptsDamage = acceptsDamage
    self.region = region
    self.rows = rows
    self.stride = stride
    self.bytesBehind = bytesBehind
  }

  package func write(to writer: inout WireWriter) {
    writer.append(UInt32(shrink))
    writer.append(UInt32(acceptsDamage ? 1 : 0))
    for value in [region.left, region.top, region.width, region.height, rows.lowerBound, rows.upperBound] {
      writer.append(Int32(value))
    }
    writer.append(UInt64(stride))
    writer.append(UInt64(bytesBehind))
  }

  package init(from reader: inout WireReader) throws(WireError) {
    shrink = Int(try reader.integer(UInt32.self))
    acceptsDamage = try reader.integer(UInt32.self) != 0
    var values: [Int] = []
    for _ in 0..<6 { values.append(Int(try reader.integer(Int32.self))) }
    guard shrink > 0, values.allSatisfy({ $0 >= 0 }), values[2] > 0, values[3] > 0,
      values[1] <= values[4], values[4] < values[5], values[5] <= values[1] + values[3]
    else { throw WireError() }
    region = Region(left: values[0], top: values[1], width: values[2], height: values[3])
    rows = values[4]..<values[5]
    stride = Int(clamping: try reader.integer(UInt64.self))
    bytesBehind = Int(clamping: try reader.integer(UInt64.self))
  }
}

/// The stored form of a page as a codec describes it: the end of the answer to `stored`.
package struct StoredNote: Sendable, Hashable {
  package let isFax: Bool
  package let isInverted: Bool
  /// The size of a page of fax rows; 0 for a JPEG.
  package let width: Int
  package let height: Int

  init(from reader: inout WireReader) throws(WireError) {
    let (kind, flags) = (try reader.integer(UInt32.self), try reader.integer(UInt32.self))
    let (width, height) = (Int(try reader.integer(Int32.self)), Int(try reader.integer(Int32.self)))
    guard kind == IMGHOST_STORED_JPEG || kind == IMGHOST_STORED_FAX else { throw WireError() }
    isFax = kind == IMGHOST_STORED_FAX
    isInverted = flags & IMGHOST_STORED_INVERTED != 0
    guard !isFax || (try? PictureLayout.checked(width: width, height: height, format: .gray8)) != nil else {
      throw WireError()
    }
    (self.width, self.height) = isFax ? (width, height) : (0, 0)
    try reader.finish()
  }
}

/// The start of a file to write: the body of a `begin` or `rewrite` message. The file's metadata is sent before it.
package struct BeginRequest: Sendable {
  package var layout: PictureLayout
  package var pageCount = 1
  package var loopCount = 0
  package var resolution: Resolution?
  package var orientation = Orientation.upright
  package var values: [WireValue] = []

  package init(layout: PictureLayout) { self.layout = layout }

  package func write(to writer: inout WireWriter) {
    writer.append(layout)
    writer.append(UInt32(pageCount))
    writer.append(UInt32(loopCount))
    writer.append(resolution?.horizontal ?? 0)
    writer.append(resolution?.vertical ?? 0)
    writer.append(UInt32(orientation.rawValue))
    writer.append(values)
  }

  package init(from reader: inout WireReader) throws(WireError) {
    layout = try reader.layout()
    pageCount = Int(try reader.integer(UInt32.self))
    loopCount = Int(try reader.integer(UInt32.self))
    let (across, down) = (try reader.number(), try reader.number())
    resolution = Resolution(horizontal: across, vertical: down)
    orientation = Orientation(rawValue: Int(try reader.integer(UInt32.self))) ?? .upright
    values = try reader.values()
  }
}

extension WireWriter {
  package mutating func append(_ layout: PictureLayout) {
    append(UInt32(layout.format.sample == .u8 ? 1 : 2))
    append(UInt32(layout.bands))
    append(UInt8(layout.format.model == .cmyk ? 1 : 0))
    append(Int32(layout.width))
    append(Int32(layout.height))
  }

  package mutating func append(_ values: [WireValue]) {
    append(UInt32(values.count))
    for value in values {
      for number in value.numbers { append(number) }
      append(UInt8(value.text == nil ? 0 : 1))
      append(value.text ?? "")
    }
  }
}

extension WireReader {
  package mutating func layout() throws(WireError) -> PictureLayout {
    let (sample, bands) = (try integer(UInt32.self), try integer(UInt32.self))
    let isInk = try integer(UInt8.self) != 0
    let (width, height) = (try integer(Int32.self), try integer(Int32.self))
    guard let format = PixelFormat(sample: sample, bands: bands, isInk: isInk),
      let layout = try? PictureLayout.checked(width: Int(width), height: Int(height), format: format)
    else { throw WireError() }
    return layout
  }

  package mutating func values() throws(WireError) -> [WireValue] {
    var values: [WireValue] = []
    for _ in 0..<(try integer(UInt32.self)) {
      var numbers: [Double] = []
      for _ in 0..<4 { numbers.append(try number()) }
      let hasText = try integer(UInt8.self) != 0
      let text = String(decoding: try text(), as: UTF8.self)
      values.append(WireValue(numbers, text: hasText ? text : nil))
    }
    return values
  }
}
