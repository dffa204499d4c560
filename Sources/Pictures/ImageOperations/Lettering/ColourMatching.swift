import ImageCore

extension ProfiledOperation {
  /// Returns a colour of the script, which is sRGB, in the space of the picture that the operation is called on. To be
  /// called in `open`.
  func matched(_ colour: Colour, _ context: OperationContext) throws(PictureError) -> Colour {
    try colour.matching(profiles?(0) ?? [], context)
  }
}
