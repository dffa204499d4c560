import ImageCore

/// The colour profile of saved files: the option `profile`.
extension SaveSink {
  /// Returns the picture with the colours that its file is to have: the picture itself, or one that is converted to a
  /// profile, by way of that of the option `proof`. Without a profile in the file, colours must be sRGB.
  ///
  /// - Throws: a problem that has been reported, for a profile that cannot be used.
  func withProfile(_ picture: Picture, _ format: SaveFormat, _ call: SinkCall, _ checker: inout SinkChecker)
    throws(Picture.Problem) -> Picture
  {
    var wanted = format.arguments.optionalText("profile") ?? "keep"
    var picture = picture
    if let printer = format.arguments.optionalText("proof") {
      picture = try converted(picture, to: printer, call, &checker, option: "proof")
      if wanted == "keep" { wanted = StandardProfile.srgb.rawValue }
    }
    if wanted == "keep" {
      guard try Self.takesColours(of: picture, format.codec, call, &checker) else { throw .reported }
      guard let reason = Self.reasonToDropProfile(format) else { return picture }
      noteDroppedProfile(picture, reason, call, checker)
      wanted = StandardProfile.srgb.rawValue
    } else if ![StandardProfile.srgb.rawValue, StandardProfile.gray.rawValue].contains(wanted),
      let reason = Self.reasonToDropProfile(format)
    {
      checker.mistake(call, "'profile' can only be 'srgb' here, because \(reason)")
      throw .reported
    }
    let shown = try converted(picture, to: wanted, call, &checker)
    guard try Self.takesColours(of: shown, format.codec, call, &checker) else { throw .reported }
    return shown
  }

  /// Whether a picture is a whole file of CMYK, whose bytes could be copied.
  private static func isInk(_ picture: Picture) -> Bool {
    guard case .source(let file, _, _) = picture.step else { return false }
    return (try? file.read())?.header.layout.format.model == .cmyk
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
        + ", or convert to sRGB")
    return false
  }

  /// Returns the picture in the colours of a profile: itself if these are its own.
  func converted(
    _ picture: Picture, to wanted: String, _ call: SinkCall, _ checker: inout SinkChecker, option: String = "profile"
  ) throws(Picture.Problem) -> Picture {
    let own = picture.metadata().iccProfile
    // Colours without a profile are sRGB, and a file's own bytes are its ink.
    if own.isEmpty, wanted == StandardProfile.srgb.rawValue, !Self.isInk(picture) { return picture }
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
      checker.mistake(call, "'\(option)': \(error)")
      throw .reported
    }
  }

  /// Whether a picture's file has a profile that is ignored, and the option asks for another: its bytes are not copied.
  func hasUnwantedProfile(_ picture: Picture, _ format: SaveFormat) -> Bool {
    guard let wanted = format.arguments.optionalText("profile"), wanted != "keep" else { return false }
    return picture.metadata().losses.contains(where: \.changesColours)
  }

  /// Why the files of a format have no profile: the format cannot hold one, or no metadata is wanted. Nil if they have.
  static func reasonToDropProfile(_ format: SaveFormat) -> String? {
    guard format.codec.holdsProfile else { return "\(format.codec.title) files hold no profile" }
    if case .text("none")? = format.arguments["metadata"] { return "metadata = 'none' leaves no profile" }
    return nil
  }

  /// Keeps a picture whose profile will be dropped, where a script is only checked. A run says nothing: the colours that
  /// are written are right.
  func noteDroppedProfile(_ picture: Picture, _ reason: String, _ call: SinkCall, _ checker: SinkChecker) {
    guard checker.options.isDryRun, StandardProfile.isOtherRGB(picture.metadata().iccProfile) else { return }
    droppedProfiles.add(
      DroppedProfile(reason: reason, call: call.job.kind.rawValue, position: call.position), picture.name(at: 0))
  }

  /// Notes pictures whose profiles will be dropped, one note for each call and reason.
  func noteDroppedProfiles(with checker: inout SinkChecker) {
    for (dropped, pictures) in droppedProfiles.entries {
      let shown = 3
      let more = pictures.count > shown ? " and \(pictures.count - shown) more" : ""
      checker.note(
        Diagnostic(
          .output, at: dropped.position, subject: dropped.call,
          message: "note: colours become sRGB, because \(dropped.reason): "
            + pictures.prefix(shown).joined(separator: ", ") + more))
    }
    droppedProfiles = LossLog()
  }

  /// A call that drops profiles.
  struct DroppedProfile: Hashable, Sendable {
    let reason: String
    let call: String
    let position: ScriptPosition?
  }
}
