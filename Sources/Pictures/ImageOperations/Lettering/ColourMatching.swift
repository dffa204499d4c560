import ImageCore

extension ProfiledOperation {
  /// Returns a colour of the script, which is sRGB, in the space of the picture that the operation is called on. To be
  /// called in `open`.
  func matched(_ colour: Colour, _ context: OperationContext) throws(PictureError) -> Colour {
    // Profiles are read from files.
    colour.isGray ? colour : try colour.matching(profiles?(0) ?? [], context)
  }
}

extension Colour {
  var isGray: Bool { red == green && green == blue }

  /// Returns the colour, which is sRGB, in the space of the picture that it is laid on. Gray and its alpha stay.
  ///
  /// - Parameter profile: the picture's ICC profile, empty for none.
  func matching(_ profile: [UInt8], _ context: OperationContext) throws(PictureError) -> Colour {
    guard !isGray, !profile.isEmpty else { return self }
    let pixel = PixelBuffer(PictureLayout(width: 1, height: 1, format: PixelFormat(.u16, .rgb)))
    let levels = [red, green, blue].map { UInt16(($0 * 65_535).rounded()) }
    levels.withUnsafeBytes { pixel.row(0).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    let matched = try ToProfile.match(BufferSource(pixel), from: [], to: profile, context).readAll(.serial).row(0)
    func level(_ band: Int) -> Double { Double(matched.load(fromByteOffset: 2 * band, as: UInt16.self)) / 65_535 }
    return Colour(red: level(0), green: level(1), blue: level(2), alpha: alpha)
  }
}
