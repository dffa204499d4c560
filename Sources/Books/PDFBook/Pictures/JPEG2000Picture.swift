import ImageCore

extension PDFPicture {
  /// A JPEG 2000 file (ISO/IEC 15444-1), a codestream or a JP2, copied byte for byte when the book is written.
  ///
  /// - Parameters:
  ///   - width: pixels across, from its header.
  ///   - height: pixels down.
  ///   - isCodestream: whether it has no JP2 header that says what its components are; they are then gray or
  ///     RGB.
  ///   - hasAlpha: whether one of its components is opacity, which only a JP2 header can say.
  public init(
    jpeg2000File file: InputFile, width: Int, height: Int, components: Int, bits: Int,
    isCodestream: Bool, hasAlpha: Bool
  ) {
    self.init(
      data: .file(file, offset: 0, count: file.byteCount),
      compression: .jpeg2000(statesColour: isCodestream, hasAlpha: hasAlpha), width: width,
      height: height, colourSpace: components < 3 ? .gray : .rgb, bits: bits, iccProfile: [])
  }
}
