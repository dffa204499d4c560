import ImageCore

/// Gives the pixels of a whole JPEG file in memory, unturned: gray, RGB, or CMYK, whose samples it takes for 1 - ink.
///
/// It comes from the caller, so that this module knows no codec and the decoder is not poppler's.
public typealias JPEGDecoding = @Sendable ([UInt8]) throws(PictureError) -> any RowSource

/// An embedded picture, decoded independently of poppler.
struct StoredPicture {
  /// Gray or RGB, 8 or 16 bits, as stored.
  let pixels: StoredRows
  /// Opacity, gray of the same size.
  let mask: PixelBuffer?
  /// Whether rows follow those that it states.
  private(set) var hasMoreRows = false

  /// - Parameter wholePixels: up to which a JPEG is decoded at once. Rows of larger ones, which are asked for from
  ///   the first to the last, are decoded only then, and `check` throws their errors.
  init(
    _ facts: PictureFacts, data: UnsafeRawBufferPointer, file: PDFFile, decodeJPEG: @escaping JPEGDecoding,
    wholePixels: Int
  )
    throws(PictureFault)
  {
    // A profile has 1, 3 or 4 components (8.6.5.5).
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

  /// The signature box of a JP2 file (ISO 15444-1, I.5.1), or a codestream's SOC and SIZ (A.4).
  private static func isJPEG2000(_ data: UnsafeRawBufferPointer) -> Bool {
    data.starts(with: [0, 0, 0, 12, 0x6a, 0x50, 0x20, 0x20, 0x0d, 0x0a, 0x87, 0x0a])
      || data.starts(with: [0xff, 0x4f, 0xff, 0x51])
  }

  /// Throws the error that ended decoding, where rows were decoded as they were asked for.
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
      if layout.width * layout.height > wholePixels {
        rows = StoredRows(layout, open: decode)
      } else {
        rows = StoredRows(try source.readAll(.serial))
      }
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

  /// Compares the dictionary with the data's own header.
  private static func check(_ facts: PictureFacts, _ markers: JPEGMarkers) throws(PictureFault) {
    let count = markers.components.count
    guard count == 0 || count == facts.colourSpace.componentCount else {
      throw .componentsStated(facts.colourSpace.componentCount, actual: count)
    }
    // Readers refuse other depths, and so does the decoder.
    guard markers.bits != 8 || facts.bits == 8 else { throw .bitsStated(facts.bits, actual: 8) }
    let isStated = markers.adobe != nil || facts.parameters["ColorTransform"] != nil
    guard isStated || !markers.looksRGB else { throw .ambiguousColours }
  }

  /// Returns JPEG data that says itself what its colours are in a PDF, for a decoder that knows no dictionary.
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
    guard let reader, let buffer = reader.readAll() else {
      throw .notDecoded("its compressed data is damaged, too short, or misdescribed")
    }
    hasMoreRows = try Self.hasMoreRows(reader)
    return format.model == .cmyk ? plain(buffer) : buffer
  }

  /// Returns a CMYK picture as RGB, without its profile.
  private static func plain(_ buffer: PixelBuffer) -> PixelBuffer {
    let result = PixelBuffer(buffer.layout.with(format: buffer.layout.format.with(model: .rgb)))
    let conversion = FormatConversion(from: buffer.layout.format, to: result.layout.format)
    for y in 0..<buffer.layout.height {
      conversion.convert(buffer.row(y), to: result.row(y), width: buffer.layout.width)
    }
    return result
  }

  /// Returns whether there are rows beyond the picture, as some PNG files have; no reader shows them. Where no filters
  /// separate the rows, the picture may begin at another row than meant, which is an error.
  private static func hasMoreRows(_ reader: FlateReader) throws(PictureFault) -> Bool {
    guard reader.hasMore() else { return false }
    guard reader.isPredicted else {
      throw .foreign("its compressed data has more than the rows that it states")
    }
    return true
  }

  /// Samples of 1, 2, 4 or 8 bits, several to a byte: palette entries, or gray from black to white.
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
    guard let reader, let rows = reader.readAll() else {
      throw .notDecoded("its compressed data is damaged, too short, or misdescribed")
    }
    hasMoreRows = try Self.hasMoreRows(reader)
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
