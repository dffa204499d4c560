import ImageCore

extension PDFPicture {
  /// Creates a picture of a JPEG 2000 file (ISO/IEC 15444-1), a codestream or JP2, which is copied byte for
  /// byte when the book is written.
  ///
  /// - Parameters:
  ///   - width: the width in pixels, from its header.
  ///   - height: the height in pixels.
  ///   - isCodestream: whether it is a bare codestream, which does not say what its components are; they are
  ///     gray or RGB then.
  ///   - hasAlpha: whether one of its components is opacity, which only a JP2 header states.
  public init(
    jpeg2000File file: InputFile, width: Int, height: Int, components: Int, bits: Int, isCodestream: Bool,
    hasAlpha: Bool
  ) {
    self.init(
      data: .file(file, offset: 0, count: file.byteCount),
      compression: .jpeg2000(statesColour: isCodestream, hasAlpha: hasAlpha),
      format: Format(
        width: width, height: height, colourSpace: components < 3 ? .gray : .rgb, bits: bits),
      iccProfile: [])
  }
}
