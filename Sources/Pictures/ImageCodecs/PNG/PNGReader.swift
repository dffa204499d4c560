import CPNG
import ImageCore
import ImageMetadata

/// Reads a PNG; used by one worker at a time.
final class PNGReader: PNGContext {
  let source: ByteSource
  private var offset = 0
  /// A part of the file, its length, and the number of its bytes that were passed to libspng or skipped.
  private let buffer = PooledBytes(capacity: 65_536)
  private var filled = 0
  private var used = 0
  /// The number of bytes of the current chunk, or of the signature, that were not yet passed to libspng.
  private var left = 8
  private var filter: PNGChunkFilter
  /// The error that occurred while the file or a skipped chunk was read.
  private var failure: PictureError?
  /// Whether libspng requested bytes beyond the end of the file.
  private var hasEnded = false

  private(set) var ihdr = spng_ihdr()
  /// Whether a tRNS chunk makes pixels transparent.
  private(set) var hasTransparency = false

  /// Whether the file has no end chunk, and one was substituted.
  private(set) var lacksEnd = false

  /// Reads up to the first IDAT; wraps `spng_get_ihdr` and `spng_get_trns`.
  init(_ source: ByteSource, acceptsDamage: Bool) throws(PictureError) {
    guard source.byteCount > 0 else { throw .codec(.empty) }
    self.source = source
    filter = PNGChunkFilter()
    try super.init(0, failure: .unsupported("decoding a PNG with this little memory"))
    try Self.refuseApple(source)
    if acceptsDamage {
      spng_set_crc_action(context, Int32(SPNG_CRC_USE.rawValue), Int32(SPNG_CRC_DISCARD.rawValue))
    } else {
      spng_set_crc_action(context, Int32(SPNG_CRC_ERROR.rawValue), Int32(SPNG_CRC_ERROR.rawValue))
    }
    try check(spng_get_ihdr(context, &ihdr))
    try checkSize()
    var transparency = spng_trns()
    hasTransparency = try isPresent(spng_get_trns(context, &transparency))
    pixelOffset = offset - (filled - used) - 8
  }

  /// Whether the pixels are in seven passes, so that the first row is complete only at the end.
  var isInterlaced: Bool { ihdr.interlace_method != 0 }

  /// The offset of the first IDAT chunk, whose header is the last one that `init` reads.
  private(set) var pixelOffset = 0

  /// Rejects the variant of PNG that Xcode generates, whose first chunk is CgBI instead of IHDR.
  private static func refuseApple(_ source: ByteSource) throws(PictureError) {
    guard try source.bytes(at: 12, upTo: 4) == Array("CgBI".utf8) else { return }
    throw .codec(
      .unsupported("an iOS-optimised PNG (CgBI), which 'pngcrush -revert-iphone-optimizations' makes a PNG again,"))
  }

  /// The types of the chunks that are ignored because their checksums are wrong. None of these chunks affects pixels.
  var wrongChunks: [UInt32] { filter.wrong }

  /// The names of `wrongChunks`, sorted.
  var ignoredChunks: [String] { filter.wrong.map(PNGChunkFilter.name).sorted() }

  /// Reports faults of the file that do not affect its pixels. Call it after the last row.
  func noteFaults(_ context: OperationContext) {
    for type in ignoredChunks {
      context.note("the chunk '\(type)' has a wrong checksum and is ignored; every pixel is there")
    }
    if lacksEnd { context.note("the end chunk is missing; every pixel is there") }
  }

  /// Throws an error if the picture exceeds the limits of imghost or is too large for the file's data, before anything
  /// of that size is allocated.
  private func checkSize() throws(PictureError) {
    let (width, height) = (Int(ihdr.width), Int(ihdr.height))
    guard max(width, height) <= PictureLayout.maximumSide, width * height <= PictureLayout.maximumPixels else {
      throw .codec(.tooLarge(width: width, height: height))
    }
    let channels = [1, 0, 3, 1, 2, 0, 4][Int(ihdr.color_type)]
    let bytes = (width * channels * Int(ihdr.bit_depth) + 7) / 8 * height
    // Inflating expands data by a factor of at most 1032: zlib's technical details, "Maximum Compression Factor".
    guard bytes / 1_032 <= source.byteCount else { throw .codec(.truncated) }
  }

  /// Returns the profile of an iCCP chunk (PNG, 11.3.2.3); empty if no such chunk was kept, nil if its contents are
  /// damaged or too large when inflated.
  func iccProfile() -> [UInt8]? {
    guard let chunk = filter.kept[PNGChunkFilter.profile], !chunk.isEmpty else { return [] }
    // The chunk begins with a name, the zero byte that ends it, and a 0 for Deflate.
    guard let end = chunk.prefix(80).firstIndex(of: 0), end > 0, chunk.dropFirst(end + 1).first == 0 else { return nil }
    let profile = PNGText.inflated(Array(chunk[(end + 2)...]), limit: PNGChunkFilter.keptLimit)
    return profile?.isEmpty == true ? nil : profile
  }

  /// Returns the loss to report for an iCCP chunk that cannot be used; empty if there is none.
  ///
  /// - Parameter profile: the result of `iccProfile()`.
  func losses(of profile: [UInt8]?) -> [MetadataLoss] {
    if filter.hasLargeProfile {
      return [.unreadable(.icc, reason: "it has more than \(PNGChunkFilter.keptLimit >> 20) MB")]
    }
    return profile == nil ? [.unreadable(.icc, reason: "its chunk is damaged or too large")] : []
  }

  /// Returns the pixels per inch of a pHYs chunk that has a unit (PNG, 11.3.4.3); nil if there is no usable one.
  func resolution() -> Resolution? {
    guard let chunk = filter.kept[PNGChunkFilter.density], chunk.count == 9, chunk[8] == 1 else { return nil }
    let numbers = [chunk[..<4], chunk[4..<8]].map { $0.reduce(0) { $0 << 8 | Int($1) } }
    guard numbers.allSatisfy({ (1...0x7fff_ffff).contains($0) }) else { return nil }
    return Resolution(horizontal: Double(numbers[0]) * 0.0254, vertical: Double(numbers[1]) * 0.0254)
  }

  /// Returns the 256 colours of a PLTE chunk, `size` bytes for each: 4 with the alpha of a tRNS chunk, 3 without.
  /// Missing colours are black. Wraps `spng_get_plte`.
  func palette(_ size: Int) throws(PictureError) -> [UInt8] {
    var chunk = spng_plte()
    try check(spng_get_plte(context, &chunk))
    var transparency = spng_trns()
    let hasAlpha = try isPresent(spng_get_trns(context, &transparency))
    var bytes: [UInt8] = []
    withUnsafeBytes(of: chunk.entries) { entries in
      withUnsafeBytes(of: transparency.type3_alpha) { alpha in
        for index in 0..<256 {
          let isThere = index < Int(chunk.n_entries)
          for sample in 0..<3 { bytes.append(isThere ? entries[4 * index + sample] : 0) }
          guard size == 4 else { continue }
          let isCovered = hasAlpha && index < Int(transparency.n_type3_entries)
          bytes.append(isCovered ? alpha[index] : 255)
        }
      }
    }
    return bytes
  }

  /// Starts decoding row by row; wraps `spng_decode_image` with `SPNG_DECODE_PROGRESSIVE`.
  func start() throws(PictureError) {
    let flags = SPNG_DECODE_TRNS.rawValue | SPNG_DECODE_PROGRESSIVE.rawValue
    try check(spng_decode_image(context, nil, 0, Int32(outputFormat.rawValue), Int32(flags)))
  }

  /// Decodes the next row of the current pass; wraps `spng_decode_row`.
  func readRow(into row: UnsafeMutableRawPointer, byteCount: Int) throws(PictureError) {
    let code = spng_decode_row(context, row, byteCount)
    // libspng returns this code with the last row, unless the last pass has no pixels.
    guard code != Int32(SPNG_EOI.rawValue) else { return }
    try check(code)
  }

  /// Checks the chunks after the pixels, up to the end chunk; wraps `spng_decode_chunks`.
  func finish() throws(PictureError) {
    try check(spng_decode_chunks(context))
    // Inside libspng 0.7.3, -1 means both that the file ends inside the last checksum and that this checksum may be
    // ignored, so the former may not be reported.
    if hasEnded { throw .codec(.truncated) }
  }

  private func isPresent(_ code: Int32) throws(PictureError) -> Bool {
    if code == Int32(SPNG_ECHUNKAVAIL.rawValue) { return false }
    try check(code)
    return true
  }

  override func check(_ code: Int32) throws(PictureError) {
    guard code != 0 else { return }
    if let failure { throw failure }
    if lacksEnd { throw .codec(.truncated) }
    switch code {
    case SPNG_IO_EOF.rawValue: throw .codec(.truncated)
    default: throw .codec(.damaged(String(cString: spng_strerror(code))))
    }
  }

  /// Gives libspng the bytes that it requests, without those of skipped chunks. libspng requests few bytes at a time,
  /// so the file is read in blocks of 64 KB.
  override func transfer(_ destination: UnsafeMutableRawBufferPointer) -> Int32 {
    var done = 0
    do throws(PictureError) {
      while done < destination.count {
        if left == 0 { try beginChunk() }
        if used == filled, try !refill() {
          hasEnded = true
          return Int32(SPNG_IO_EOF.rawValue)
        }
        let part = min(destination.count - done, filled - used, left)
        (destination.baseAddress! + done).copyMemory(from: buffer.base + used, byteCount: part)
        done += part
        used += part
        left -= part
      }
    } catch {
      failure = error
      return Int32(SPNG_IO_ERROR.rawValue)
    }
    return 0
  }

  /// Skips to the next chunk that is passed to libspng.
  private func beginChunk() throws(PictureError) {
    while true {
      if filter.hasSeenPixels, try isOver() { return makeEnd() }
      // libspng reports the end of the file.
      guard try keep(8) else { return left = filled - used }
      let header = UnsafeRawPointer(buffer.base + used)
      let (type, length) = (PNGChunkFilter.word(header + 4), Int(PNGChunkFilter.word(header)))
      guard try filter.passesOver(type, length) else { return left = 12 + length }
      try passOver(length)
    }
  }

  /// Returns whether the file lacks an end chunk, because its rest is shorter than a chunk or consists of zeros.
  private func isOver() throws(PictureError) -> Bool {
    guard try keep(12) else { return true }
    guard UnsafeRawBufferPointer(start: buffer.base + used, count: 12).allSatisfy({ $0 == 0 }) else { return false }
    return try source.endWithoutZeros() <= offset - (filled - used)
  }

  /// Replaces the rest of the file with an end chunk. libspng detects whether pixels are missing.
  private func makeEnd() {
    let chunk = PNGCodec.endChunk
    buffer.base.copyMemory(from: chunk, byteCount: chunk.count)
    (used, filled, left) = (0, chunk.count, chunk.count)
    (lacksEnd, offset) = (true, source.byteCount)
  }

  /// Skips the chunk whose header is next in the buffer, and passes its bytes to `filter`.
  private func passOver(_ length: Int) throws(PictureError) {
    used += 4
    var rest = 4 + length
    while rest > 0 {
      guard try keep(1) else { throw .codec(.truncated) }
      let part = min(rest, filled - used)
      filter.add(UnsafeRawBufferPointer(start: buffer.base + used, count: part))
      used += part
      rest -= part
    }
    guard try keep(4) else { throw .codec(.truncated) }
    filter.end(PNGChunkFilter.word(UnsafeRawPointer(buffer.base + used)))
    used += 4
  }

  /// Reads until the buffer contains `count` unconsumed bytes. Returns false if the file ends first.
  private func keep(_ count: Int) throws(PictureError) -> Bool {
    while filled - used < count { guard try refill() else { return false } }
    return true
  }

  /// Reads more bytes after the unconsumed ones. Returns false at the end of the file.
  private func refill() throws(PictureError) -> Bool {
    buffer.base.copyMemory(from: buffer.base + used, byteCount: filled - used)
    filled -= used
    used = 0
    do throws(FileError) {
      let count = try source.read(
        at: offset,
        into: UnsafeMutableRawBufferPointer(
          start: buffer.base + filled, count: buffer.capacity - filled))
      offset += count
      filled += count
      return count > 0
    } catch {
      throw .file(error)
    }
  }
}

// MARK: - Header

extension PNGReader {
  /// Returns the facts in the chunks before the pixels, and the metadata of all chunks.
  func header() throws(PictureError) -> PictureHeader {
    let chunks = try PNGMetadataChunks(source)
    let block = chunks.exif
    let exif = EXIFBlock(block)
    let stored = iccProfile()
    let profile = stored ?? []
    let colour = try colourChunks()
    let code = colour.code
    let toneMapping = code.flatMap { ToneMapping($0) }
    var details: [String: MetadataValue] = [
      "bits": .integer(Int(ihdr.bit_depth)),
      "colour": .text(colourType),
      "interlaced": .integer(isInterlaced ? 1 : 0),
      "transparency": .integer(hasTransparency ? 1 : 0),
    ]
    if let code, !code.isSRGB { details["cicp"] = .text("primaries \(code.primaries), transfer \(code.transfer)") }
    if !ignoredChunks.isEmpty { details["ignored"] = .text(ignoredChunks.joined(separator: ", ")) }
    if let toneMapping { details["hdr"] = .text(toneMapping.description) }
    let losses = toneMapping == nil && !profile.isEmpty ? ICCProfile.losses(of: profile, layout.format) : []
    return PictureHeader(
      codec: "png", layout: layout,
      metadata: PictureMetadata(
        orientation: Orientation(exif, chunks.xmp),
        iccProfile: shownProfile(profile, colour, toneMapping, exif),
        exif: exif?.fields ?? [:],
        exifBlock: exif == nil ? [] : block, xmp: chunks.xmp, iptc: chunks.iptc,
        losses: chunks.losses + losses + self.losses(of: stored),
        resolution: resolution() ?? exif?.resolution),
      details: details,
      decoderByteCount: isInterlaced ? PixelBuffer.byteCount(layout) : 0,
      isEmbeddable: !isInterlaced && !layout.format.hasAlpha && toneMapping == nil)
  }

  /// Returns the profile of the rows: that of the tone mapping, or else the embedded one, or else that of the code
  /// points. If no chunk names a colour space, gAMA and cHRM describe it, or else EXIF (PNG, third edition, 4.3). An
  /// unusable embedded profile is treated as missing, because encoders add gAMA and cHRM for readers that do not
  /// support profiles (11.3.2.3).
  private func shownProfile(
    _ embedded: [UInt8], _ colour: PNGColourChunks, _ toneMapping: ToneMapping?, _ exif: EXIFBlock?
  ) -> [UInt8] {
    if let toneMapping { return toneMapping.profile(isGray: isGray) }
    let fitting = ICCProfile.matching(embedded, layout.format)
    if !fitting.isEmpty { return fitting }
    if let code = colour.code { return code.profile(isGray: isGray) }
    if colour.isSRGB { return [] }
    return ICCProfile.calibrated(colour.calibration ?? exif?.colour, layout.format)
  }

  /// The layout of decoded rows: as in the file, but samples with fewer than 8 bits become 8 bits, palettes are
  /// resolved, and a tRNS chunk becomes alpha.
  var layout: PictureLayout {
    PictureLayout(
      width: Int(ihdr.width), height: Int(ihdr.height),
      format: PixelFormat(
        ihdr.bit_depth == 16 ? .u16 : .u8, isGray ? .gray : .rgb,
        alpha: hasTransparency || [4, 6].contains(ihdr.color_type)))
  }

  private var isGray: Bool { [0, 4].contains(ihdr.color_type) }

  private var colourType: String {
    switch ihdr.color_type {
    case 0: "gray"
    case 2: "RGB"
    case 3: "palette"
    case 4: "gray with alpha"
    default: "RGB with alpha"
    }
  }

  /// libspng's format for the layout. `SPNG_FMT_PNG` returns the file's own samples in the machine's byte order.
  private var outputFormat: spng_format {
    switch (ihdr.color_type, ihdr.bit_depth) {
    case (3, _): hasTransparency ? SPNG_FMT_RGBA8 : SPNG_FMT_RGB8
    case (0, 16) where hasTransparency: SPNG_FMT_GA16
    case (0, _) where hasTransparency: SPNG_FMT_GA8
    case (0, 1...8): SPNG_FMT_G8
    case (2, 16) where hasTransparency: SPNG_FMT_RGBA16
    case (2, _) where hasTransparency: SPNG_FMT_RGBA8
    default: SPNG_FMT_PNG
    }
  }
}
