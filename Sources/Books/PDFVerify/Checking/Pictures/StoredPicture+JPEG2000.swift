import ImageCore

/// JPEG 2000, decoded by libopenjp2 from the stored bytes. Poppler uses the same library, so this proves that the page
/// shows the pixels of these bytes in their place, but not that the library is right.
extension StoredPicture {
  /// Gray or RGB, 8 bits.
  ///
  /// - Throws: `notCompared` where the library refuses it, or poppler is known to show it wrong.
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

  /// Returns why poppler does not show a picture as it should; nil where it does.
  private static func reasonAgainst(_ image: JPEG2000Image, _ facts: PictureFacts)
    -> String?
  {
    guard image.isWhole else { return "poppler does not show JPEG 2000 with components of different sizes" }
    // A colour space in the dictionary is said to outweigh the data's own (7.4.9).
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

  /// Samples that count the colours of the dictionary's palette.
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
