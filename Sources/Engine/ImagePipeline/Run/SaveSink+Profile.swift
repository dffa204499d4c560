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
      guard Self.dropsProfile(format) else { return picture }
      wanted = StandardProfile.srgb.rawValue
    }
    return try converted(picture, to: wanted, call, &checker)
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
