import ImageCore

extension PDFPicture {
  /// Creates a picture of a JPEG 2000 file (ISO/IEC 15444-1), which is copied byte for byte when the book is written. A
  /// bare codestream is given the header of a JP2, because a PDF cannot hold codestreams (PDF 32000-1:2008, 7.4.9).
  ///
  /// The dictionary states colours and bits; without them, Ghostscript 10 shows gray pictures too light.
  ///
  /// - Parameters:
  ///   - width: the width in pixels, from its header.
  ///   - height: the height in pixels.
  ///   - components: the number of colours: 1 or 2 for gray, 3 for RGB.
  ///   - isCodestream: whether it is a bare codestream, which does not state the meaning of its components; they are
  ///     then gray or RGB.
  ///   - hasAlpha: whether one of its components is opacity, which only a JP2 header states.
  package init(
    jpeg2000File file: InputFile, width: Int, height: Int, components: Int, bits: Int, isCodestream: Bool,
    hasAlpha: Bool, iccProfile: [UInt8] = []
  ) {
    let format = Format(width: width, height: height, colourSpace: components < 3 ? .gray : .rgb, bits: bits)
    let whole = 0..<file.byteCount
    self.init(
      data: isCodestream
        ? .completed(Self.jp2Header(format, byteCount: file.byteCount), file, whole)
        : .file(file, offset: 0, count: file.byteCount),
      compression: .jpeg2000(statesColour: true, hasAlpha: hasAlpha), format: format, iccProfile: iccProfile)
  }

  /// Returns the boxes of a JP2 before its codestream (ISO/IEC 15444-1, Annex I).
  private static func jp2Header(_ format: Format, byteCount: Int) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    func box(_ type: String, _ body: [UInt8]) -> [UInt8] { number(body.count + 8) + Array(type.utf8) + body }
    let count = format.colourSpace.componentCount
    let size = number(format.height) + number(format.width) + [0, UInt8(count), UInt8(format.bits - 1), 7, 0, 0]
    // 17 is gray, 16 is sRGB.
    let colours: [UInt8] = [1, 0, 0] + number(count == 1 ? 17 : 16)
    // A length of 0 reaches to the end.
    let length = byteCount + 8 <= Int(UInt32.max) ? byteCount + 8 : 0
    return box("jP  ", [0x0d, 0x0a, 0x87, 0x0a]) + box("ftyp", Array("jp2 ".utf8) + number(0) + Array("jp2 ".utf8))
      + box("jp2h", box("ihdr", size) + box("colr", colours)) + number(length) + Array("jp2c".utf8)
  }
}
