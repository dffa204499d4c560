import ImageCore
import RowCompression

/// Decodes a whole JPEG file in memory to gray, RGB, or CMYK with inverted samples (0 is full ink). Does not apply the
/// orientation.
///
/// The caller supplies the decoder, so that this module depends on no codec, and the check does not rely on poppler's
/// decoder.
public typealias JPEGDecoding = @Sendable ([UInt8]) throws(PictureError) -> any RowSource

/// An embedded picture, decoded independently of poppler.
struct StoredPicture {
  /// The stored pixels: gray or RGB, 8 or 16 bits.
  let pixels: StoredRows
  /// The opacity in gray, of the same size as `pixels`; nil for an opaque picture.
  let mask: PixelBuffer?
  /// Whether the data of the picture or its mask has more rows than the dictionary states.
  private(set) var hasMoreRows = false

  /// - Parameter wholePixels: the largest number of pixels of a JPEG that is decoded as a whole. A larger JPEG is
  ///   decoded when its rows are requested, and `check` throws its errors.
  init(
    _ facts: PictureFacts, data: UnsafeRawBufferPointer, file: PDFFile, decodeJPEG: @escaping JPEGDecoding,
    wholePixels: Int
  )
    throws(PictureFault)
  {
    // A profile must have 1, 3 or 4 components (8.6.5.5).
    guard facts.colourSpace != .other("ICCBased") else {
      throw .notDecoded("its ICC profile has an invalid number of components")
    }
    switch facts.filter {
    case "DCTDecode": pixels = try Self.jpeg(facts, data, decodeJPEG, wholePixels)
    case "FlateDecode", nil:
      pixels = StoredRows(try Self.flate(facts, data, &hasMoreRows))
    case "JPXDecode":
      guard Self.isJPEG2000(data) else { throw .notDecoded("it is not JPEG 2000 data") }
      pixels = StoredRows(try Self.jpeg2000(facts, data))
    case "CCITTFaxDecode": pixels = StoredRows(try Self.fax(facts, data, &hasMoreRows))
    case let filter? where PictureFacts.filters.contains(filter):
      throw .foreign("it is compressed with \(filter), which is not decoded here")
    case "several":
      throw .foreign("it is compressed several times, which is not decoded here")
    case let filter?:
      throw .notDecoded("it uses the unknown filter '\(filter)'")
    }
    var maskHasMoreRows = false
    mask = try facts.mask.map { (object) throws(PictureFault) in
      try Self.mask(object, facts, file, &maskHasMoreRows)
    }
    hasMoreRows = hasMoreRows || maskHasMoreRows
  }

  /// Returns whether data begins like a JP2 file, with its signature box (ISO 15444-1, I.5.1), or like a codestream,
  /// with SOC and SIZ (A.4).
  private static func isJPEG2000(_ data: UnsafeRawBufferPointer) -> Bool {
    data.starts(with: [0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20, 0x0d, 0x0a, 0x87, 0x0a])
      || data.starts(with: [0xff, 0x4f, 0xff, 0x51])
  }

  /// Decodes the remaining rows. Throws an error if any row could not be decoded.
  func check() throws(PictureFault) {
    pixels.finish()
    if let failure = pixels.failure { throw .notDecoded(failure.description) }
  }

  private static func jpeg(
    _ facts: PictureFacts, _ data: UnsafeRawBufferPointer, _ decodeJPEG: @escaping JPEGDecoding, _ wholePixels: Int
  ) throws(PictureFault) -> StoredRows {
    let rows: StoredRows
    let markers = JPEGMarkers(data)
    try check(facts, markers)
    let bytes = plainBytes(data, markers, isRGB: markers.isRGB(transform: facts.parameters["ColorTransform"]?.integer))
    let decode = { () throws(PictureError) -> any RowSource in
      let source = try decodeJPEG(bytes)
      return source.layout.format.model == .cmyk ? PlainInkSource(source, isInverted: facts.isInverted) : source
    }
    do throws(PictureError) {
      let source = try decode()
      let layout = source.layout
      guard layout.width == facts.width, layout.height == facts.height else {
        throw PictureError.operation(.tooLarge(width: layout.width, height: layout.height))
      }
      let isLarge = layout.width * layout.height > wholePixels
      rows = try isLarge ? StoredRows(layout, open: decode) : StoredRows(source.readAll(.serial))
    } catch .operation(.tooLarge(let width, let height)) {
      throw .sizeStated(width: facts.width, height: facts.height, actualWidth: width, actualHeight: height)
    } catch {
      throw .notDecoded(error.description)
    }
    let count = rows.layout.format.model.bandCount
    guard count == facts.colourSpace.componentCount || facts.colourSpace == .cmyk else {
      throw .componentsStated(facts.colourSpace.componentCount, actual: count)
    }
    return rows
  }

  /// Checks that the dictionary agrees with the header of the JPEG data.
  private static func check(_ facts: PictureFacts, _ markers: JPEGMarkers) throws(PictureFault) {
    let count = markers.components.count
    guard count == 0 || count == facts.colourSpace.componentCount else {
      throw .componentsStated(facts.colourSpace.componentCount, actual: count)
    }
    // PDF readers and the decoder both reject data with a depth other than 8 bits.
    guard markers.bits != 8 || facts.bits == 8 else { throw .bitsStated(facts.bits, actual: 8) }
    let isStated = markers.adobe != nil || facts.parameters["ColorTransform"] != nil
    guard isStated || !markers.looksRGB else { throw .ambiguousColours }
  }

  /// Returns JPEG data that declares the meaning of its components in its own markers, for a decoder that does not see
  /// the dictionary.
  private static func plainBytes(_ data: UnsafeRawBufferPointer, _ markers: JPEGMarkers, isRGB: Bool) -> [UInt8] {
    var bytes = Array(data)
    guard markers.components.count == 3, isRGB != markers.looksRGB else { return bytes }
    if let name = markers.jfifName { bytes[name] = 0 }
    let adobe: [UInt8] = [0xff, 0xee, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, isRGB ? 0 : 1]
    if markers.adobe == nil { bytes.insert(contentsOf: adobe, at: 2) }
    return bytes
  }

  private static func flate(
    _ facts: PictureFacts, _ data: UnsafeRawBufferPointer,
    _ hasMoreRows: inout Bool
  ) throws(PictureFault) -> PixelBuffer {
    if facts.palette != nil || (facts.colourSpace == .gray && facts.bits < 8) {
      return try packed(facts, data, &hasMoreRows)
    }
    if case .other(let name) = facts.colourSpace {
      throw .foreign("its colour space is \(name), which imghost never writes")
    }
    guard facts.bits == 8 || facts.bits == 16, !facts.isInverted else {
      throw .foreign("its pixels are stored in a form that imghost never writes")
    }
    let model: ColourModel =
      switch facts.colourSpace {
      case .gray: .gray
      case .cmyk: .cmyk
      case .rgb, .other: .rgb
      }
    let format = PixelFormat(facts.bits == 8 ? .u8 : .u16, model)
    let layout = PictureLayout(width: facts.width, height: facts.height, format: format)
    let reader = FlateReader(data, layout: layout, parameters: facts.parameters, isPacked: facts.filter != nil)
    let buffer = try readAll(reader, &hasMoreRows)
    return format.model == .cmyk ? plain(buffer) : buffer
  }

  /// Returns a CMYK picture as RGB, ignoring its profile.
  private static func plain(_ buffer: PixelBuffer) -> PixelBuffer {
    let result = PixelBuffer(buffer.layout.with(format: buffer.layout.format.with(model: .rgb)))
    let conversion = FormatConversion(from: buffer.layout.format, to: result.layout.format)
    for y in 0..<buffer.layout.height {
      conversion.convert(buffer.row(y), to: result.row(y), width: buffer.layout.width)
    }
    return result
  }

  /// Reads the picture's rows. `hasMoreRows` becomes true if additional rows follow, as in some PNG files; no reader
  /// shows them. Throws if there are additional rows but no predictor, because the check could then miss that the
  /// picture begins at a wrong row.
  private static func readAll(_ reader: FlateReader?, _ hasMoreRows: inout Bool) throws(PictureFault) -> PixelBuffer {
    guard let reader, let rows = reader.readAll() else {
      throw .notDecoded("its compressed data is damaged, too short, or misdescribed")
    }
    hasMoreRows = reader.hasMore()
    guard !hasMoreRows || reader.isPredicted else {
      throw .foreign("its compressed data has more than the rows that it states")
    }
    return rows
  }

  /// Unpacks samples of 1, 2, 4 or 8 bits: palette indices, or gray with 0 for black.
  private static func packed(
    _ facts: PictureFacts, _ data: UnsafeRawBufferPointer,
    _ hasMoreRows: inout Bool
  ) throws(PictureFault) -> PixelBuffer {
    guard [1, 2, 4, 8].contains(facts.bits) else {
      throw .foreign("its pixels are stored in a form that imghost never writes")
    }
    let rowBytes = (facts.width * facts.bits + 7) / 8
    let reader = FlateReader(
      data, layout: PictureLayout(width: rowBytes, height: facts.height, format: .gray8), parameters: facts.parameters,
      columns: facts.width, bits: facts.bits, isPacked: facts.filter != nil)
    let rows = try readAll(reader, &hasMoreRows)
    let result = PixelBuffer(
      PictureLayout(
        width: facts.width, height: facts.height, format: facts.palette == nil ? .gray8 : .rgb8))
    let (mask, perByte) = ((1 << facts.bits) - 1, 8 / facts.bits)
    for y in 0..<facts.height {
      let from = rows.row(y).assumingMemoryBound(to: UInt8.self)
      let to = result.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<facts.width {
        let shift = (perByte - 1 - x % perByte) * facts.bits
        let value = Int(from[x / perByte]) >> shift & mask
        guard let palette = facts.palette else {
          to[x] = UInt8(value * 255 / mask)
          continue
        }
        guard value * 3 + 2 < palette.count else {
          throw .notDecoded("it uses colours that its palette does not have")
        }
        for band in 0..<3 { to[x * 3 + band] = palette[value * 3 + band] }
      }
    }
    return result
  }

  private static func mask(
    _ object: Int, _ facts: PictureFacts, _ file: PDFFile,
    _ hasMoreRows: inout Bool
  ) throws(PictureFault) -> PixelBuffer {
    guard let mask = file.object(object), let stream = mask.stream,
      let maskFacts = PictureFacts(object, mask.dictionary, file),
      maskFacts.width == facts.width, maskFacts.height == facts.height,
      maskFacts.colourSpace == .gray, [nil, "FlateDecode"].contains(maskFacts.filter), maskFacts.mask == nil
    else { throw .foreign("its soft mask is of a kind that imghost never writes") }
    return try flate(
      maskFacts, UnsafeRawBufferPointer(rebasing: file.bytes[stream]), &hasMoreRows)
  }
}

// MARK: - Fax

/// Decodes Group 4 facsimile with imghost's own code instead of poppler's.
extension StoredPicture {
  /// Decodes to 8-bit gray that contains only black and white.
  static func fax(_ facts: PictureFacts, _ data: UnsafeRawBufferPointer, _ hasMoreRows: inout Bool)
    throws(PictureFault) -> PixelBuffer
  {
    let parameters = facts.parameters
    // Parameters and defaults of PDF 32000-1:2008, table 11.
    guard let group = parameters["K"]?.integer, group < 0, parameters["EncodedByteAlign"] != .boolean(true),
      facts.colourSpace == .gray, facts.palette == nil, facts.bits == 1
    else { throw .foreign("its fax rows are of a kind that imghost never writes") }
    let columns = parameters["Columns"]?.integer ?? 1_728
    guard columns == facts.width else {
      throw .sizeStated(width: facts.width, height: facts.height, actualWidth: columns, actualHeight: facts.height)
    }
    let stated = parameters["Rows"]?.integer ?? 0
    guard stated == 0 || stated == facts.height else {
      throw .sizeStated(width: facts.width, height: facts.height, actualWidth: columns, actualHeight: stated)
    }
    let isBlackOne = parameters["BlackIs1"] == .boolean(true)
    let result = PixelBuffer(PictureLayout(width: facts.width, height: facts.height, format: .gray8))
    var decoder = FaxDecoder(data, width: facts.width)
    for y in 0..<facts.height {
      guard decoder.next() else { throw .notDecoded("its fax rows are damaged from row \(y + 1) on, or too few") }
      decoder.write(
        white: isBlackOne ? 0 : 255, black: isBlackOne ? 255 : 0, to: result.row(y).assumingMemoryBound(to: UInt8.self))
    }
    hasMoreRows = !decoder.endsWithBlock() && decoder.next()
    return result
  }
}

// MARK: - JPEG2000

/// Decodes JPEG 2000 with libopenjp2 from the stored bytes. Poppler uses the same library, so the comparison proves
/// that the page shows the pixels of these bytes in their place, but not that the library decodes them correctly.
extension StoredPicture {
  /// Decodes to 8-bit gray or RGB.
  ///
  /// - Throws: `notCompared` if the library rejects the picture, or if poppler is known to show it incorrectly; other
  ///   faults if the dictionary contradicts the data, or if imghost never writes such a picture.
  static func jpeg2000(_ facts: PictureFacts, _ data: UnsafeRawBufferPointer) throws(PictureFault) -> PixelBuffer {
    if facts.palette == nil, case .other(let name) = facts.colourSpace, name != "none" {
      throw .foreign("its colour space is \(name), which imghost never writes")
    }
    let image: JPEG2000Image
    do throws(JPEG2000Image.Refusal) {
      image = try JPEG2000Image(data, size: (facts.width, facts.height), keepsIndices: facts.palette != nil)
    } catch {
      throw fault(error, facts)
    }
    if let reason = reasonAgainst(image, facts) { throw .notCompared(reason) }
    if let palette = facts.palette { return try indexed(image, facts, palette) }
    if let stated = facts.statedBits, image.bits(0) != stated {
      throw .bitsStated(stated, actual: image.bits(0))
    }
    let count = image.componentCount < 3 ? 1 : 3
    if facts.colourSpace != .other("none"), facts.colourSpace.componentCount != count {
      throw .componentsStated(facts.colourSpace.componentCount, actual: count)
    }
    let result = PixelBuffer(
      PictureLayout(
        width: facts.width, height: facts.height, format: count == 1 ? .gray8 : .rgb8))
    for y in 0..<facts.height {
      let row = result.row(y).assumingMemoryBound(to: UInt8.self)
      for band in 0..<count { image.read(band, row: y, into: row + band, step: count) }
    }
    return result
  }

  private static func fault(_ refusal: JPEG2000Image.Refusal, _ facts: PictureFacts) -> PictureFault {
    switch refusal {
    case .unreadable:
      .notCompared("libopenjp2 does not read its JPEG 2000 data")
    case .incomplete:
      .notCompared("its JPEG 2000 data lacks some of its tiles")
    case .tooLarge: .notCompared("\(facts.width)x\(facts.height) pixels of JPEG 2000 are more than a check may take")
    case .manyColumns:
      .notCompared("the palette in its JPEG 2000 data has more than four columns")
    case .otherSize(let width, let height):
      .sizeStated(width: facts.width, height: facts.height, actualWidth: width, actualHeight: height)
    }
  }

  /// Returns the reason why poppler shows a picture incorrectly; nil if no such reason is known.
  private static func reasonAgainst(_ image: JPEG2000Image, _ facts: PictureFacts)
    -> String?
  {
    guard image.isWhole else { return "poppler does not show JPEG 2000 with components of different sizes" }
    // A colour space in the dictionary takes precedence over the data's own (7.4.9).
    if case .other(let name) = image.colours, facts.colourSpace == .other("none") {
      return "poppler shows JPEG 2000 in \(name) as if it were RGB or gray"
    }
    let count = image.componentCount
    guard facts.colourSpace != .cmyk, count < 4 || (count == 4 && image.isRGB) else {
      return "its JPEG 2000 data has \(count) components that are not known to be RGB and opacity"
    }
    guard count % 2 == 1 || !PopplerVersion.drawsOpacityInData else {
      return "poppler shows the opacity in JPEG 2000 data whether or not the picture asks for it"
    }
    guard facts.palette != nil || (0..<count).allSatisfy({ image.bits($0) >= 8 }) else {
      return "poppler shows JPEG 2000 of fewer than 8 bits too dark"
    }
    return nil
  }

  /// Decodes samples that are indices into the dictionary's palette.
  private static func indexed(
    _ image: JPEG2000Image, _ facts: PictureFacts, _ palette: [UInt8]
  ) throws(PictureFault) -> PixelBuffer {
    guard image.componentCount == 1, image.bits(0) <= 8 else {
      throw .componentsStated(1, actual: image.componentCount)
    }
    let result = PixelBuffer(
      PictureLayout(width: facts.width, height: facts.height, format: .rgb8))
    var indices = [UInt8](repeating: 0, count: facts.width)
    for y in 0..<facts.height {
      image.read(0, row: y, into: &indices, step: 1)
      let row = result.row(y).assumingMemoryBound(to: UInt8.self)
      for (x, index) in indices.enumerated() {
        guard Int(index) * 3 + 2 < palette.count else {
          throw .notDecoded("it uses colours that its palette does not have")
        }
        for band in 0..<3 { row[x * 3 + band] = palette[Int(index) * 3 + band] }
      }
    }
    return result
  }
}

/// RGB rows of a CMYK JPEG, without its profile: R = (1 - C)(1 - K) and so on, which is the simple formula nearest to
/// poppler's result.
///
/// A PDF stores amounts of ink unless a Decode array inverts them (PDF 32000-1:2008, 7.4.8 and 8.9.5.2). Decoders of
/// JPEG files treat samples as 1 - ink.
final class PlainInkSource: RowSource {
  let layout: PictureLayout
  private let source: any RowSource
  private let isInverted: Bool
  private let conversion: FormatConversion
  private let row: PixelBuffer

  /// - Parameter isInverted: whether the PDF stores 1 - ink, as JPEG files do.
  init(_ source: any RowSource, isInverted: Bool) {
    self.source = source
    self.isInverted = isInverted
    layout = source.layout.with(format: source.layout.format.with(model: .rgb))
    conversion = FormatConversion(from: source.layout.format, to: layout.format)
    row = PixelBuffer(source.layout.with(width: layout.width, height: 1))
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    for index in 0..<count {
      try source.read(1, into: row.base, stride: row.stride)
      if !isInverted {
        let bytes = row.base.assumingMemoryBound(to: UInt8.self)
        // Inverting every byte also inverts 16-bit samples.
        for place in 0..<source.layout.rowByteCount { bytes[place] = ~bytes[place] }
      }
      conversion.convert(row.base, to: destination + index * stride, width: layout.width)
    }
  }
}
