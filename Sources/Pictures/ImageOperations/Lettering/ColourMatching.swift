import ImageCore

extension ProfiledOperation {
  /// Converts a colour that a script gives, in sRGB, to the colour space of the operation's first picture. For use in
  /// `open`.
  func matched(_ colour: Colour, _ context: OperationContext) throws(PictureError) -> Colour {
    try colour.matching(profiles?(0) ?? [], context)
  }

  /// Returns the rows of the operation's first picture in a format that may have more bands. A gray picture that
  /// becomes RGB is converted to sRGB if its profile has another curve.
  func rows(_ input: any RowSource, in format: PixelFormat, _ context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    let selection = BandSelection(from: input.layout.format, to: format)
    guard let profiles, input.layout.format.model == .gray, format.model == .rgb else {
      return selection.open(input, context)
    }
    return selection.open(try ToProfile.match(input, from: profiles(0), to: [], context), context)
  }
}
