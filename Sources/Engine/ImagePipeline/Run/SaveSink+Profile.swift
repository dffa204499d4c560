import ImageCore

/// The colour profile of saved files: the option `profile`.
extension SaveSink {
  /// Returns the picture with the colours that its file is to have: the picture itself, or one that is converted to a
  /// profile. Without a profile in the file, colours must be sRGB.
  ///
  /// - Throws: a problem that has been reported, for a profile that cannot be used.
  func withProfile(_ picture: Picture, _ format: SaveFormat, _ call: SinkCall, _ checker: inout SinkChecker)
    throws(Picture.Problem) -> Picture
  {
    var wanted = format.arguments.optionalText("profile") ?? "keep"
    if wanted == "keep" {
      guard try Self.takesColours(of: picture, format.codec, call, &checker) else { throw .reported }
      guard Self.dropsProfile(format) else { return picture }
      wanted = StandardProfile.srgb.rawValue
    }
    let shown = try converted(picture, to: wanted, call, &checker)
    guard try Self.takesColours(of: shown, format.codec, call, &checker) else { throw .reported }
    return shown
  }

  /// Reports CMYK for a format that cannot hold it.
  static func takesColours(
    of picture: Picture, _ codec: any PictureCodec, _ call: SinkCall, _ checker: inout SinkChecker
  ) throws(Picture.Problem) -> Bool {
    guard !codec.writesInk, try picture.info().layout.format.model == .cmyk else { return true }
    let others = checker.environment.allCodecs.filter { $0.writes && $0.writesInk }.compactMap(\.extensions.first)
    checker.mistake(
      call,
      "\(codec.title) files hold no CMYK; use " + others.map { "." + $0 }.joined(separator: " or ")
        + ", or profile = \"srgb\"")
    return false
  }

  /// Returns the picture in the colours of a profile: itself if these are its own.
  func converted(_ picture: Picture, to wanted: String, _ call: SinkCall, _ checker: inout SinkChecker)
    throws(Picture.Problem) -> Picture
  {
    let own = picture.metadata().iccProfile
    // Colours without a profile are sRGB.
    if own.isEmpty, wanted == StandardProfile.srgb.rawValue { return picture }
    if let step = knownProfiles[wanted] {
      return Picture(step, inputs: [picture], position: call.position, origin: picture.origin)
    }
    guard let definition = checker.environment.operations.first(where: { $0.descriptor.name == "to_profile" }) else {
      return picture
    }
    do {
      let raw = RawArguments(named: [("profile", .text(wanted))])
      let arguments = try Arguments(raw, for: definition.descriptor)
      let step = Picture.Step.operation(name: "to_profile", try definition.make(arguments), arguments)
      knownProfiles[wanted] = step
      return Picture(step, inputs: [picture], position: call.position, origin: picture.origin)
    } catch {
      checker.mistake(call, "'profile': \(error)")
      throw .reported
    }
  }

  /// Whether the files of a format have no profile: the format cannot hold one, or no metadata is wanted.
  private static func dropsProfile(_ format: SaveFormat) -> Bool {
    guard format.codec.holdsProfile else { return true }
    if case .text("none")? = format.arguments["metadata"] { return true }
    return false
  }
}
