extension Colour {
  /// Whether it is black or white, which are the same in all profiles.
  public var isBlackOrWhite: Bool { red == green && green == blue && (red == 0 || red == 1) }

  /// Returns a script's colour, which is sRGB, in the colour space of the picture on which it is used. Alpha is
  /// unchanged.
  ///
  /// - Parameter profile: the picture's ICC profile, empty for none. Colours are unchanged for gray and CMYK pictures,
  ///   and, after a note, if the profile cannot be used.
  /// - Throws: the reason why no conversion is possible.
  public func matching(_ profile: @autoclosure () -> [UInt8], _ context: OperationContext) throws(PictureError)
    -> Colour
  {
    // Reading the profile from a file is avoided if possible.
    isBlackOrWhite ? self : try [self].matching(profile(), context)[0]
  }
}

extension [Colour] {
  /// Returns colours, which are sRGB, in the colour space of a picture, as `Colour.matching` does.
  public func matching(_ profile: [UInt8], _ context: OperationContext) throws(PictureError) -> [Colour] {
    guard StandardProfile.isOtherRGB(profile) else { return self }
    let transform: ColourTransform?
    do throws(OperationError) { transform = try context.colours.transform(to: profile, context) } catch {
      throw .operation(error)
    }
    guard let transform, transform.sourceBands == 3, transform.targetBands == 3 else { return self }
    return map { colour in
      guard let matched = transform.value(at: [colour.red, colour.green, colour.blue]) else { return colour }
      return Colour(red: matched[0], green: matched[1], blue: matched[2], alpha: colour.alpha)
    }
  }
}

extension ColourConverter {
  /// Returns the conversion from sRGB to a picture's profile; nil, after a note, for a profile that cannot be a target,
  /// because it is damaged or describes a scanner.
  ///
  /// - Throws: the reason why no conversion is possible.
  public func transform(to profile: [UInt8], _ context: OperationContext) throws(OperationError) -> ColourTransform? {
    let srgb = StandardProfile.srgb.bytes
    do throws(OperationError) { return try transform(from: srgb, to: profile, .relative, blackPoint: true) } catch {
      let isDamaged = try transform(from: profile, to: srgb, .relative, blackPoint: true) == nil
      context.note(
        isDamaged
          ? "the colour profile is damaged and ignored"
          : "colours of the script keep their numbers, because the picture's colour profile takes no others")
      return nil
    }
  }
}

extension FormatConversion {
  /// Creates the conversion of a picture's rows if a colour of the script may be visible behind them.
  ///
  /// - Parameters:
  ///   - background: the colour behind removed alpha, in sRGB.
  ///   - profile: the picture's ICC profile, empty for none.
  public init(
    from source: PixelFormat, to target: PixelFormat, showing background: Colour,
    on profile: @autoclosure () -> [UInt8],
    _ context: OperationContext
  ) throws(PictureError) {
    let isSeen = source.hasAlpha && !target.hasAlpha && source.model == .rgb
    self.init(
      from: source, to: target, background: isSeen ? try background.matching(profile(), context) : background)
  }
}
