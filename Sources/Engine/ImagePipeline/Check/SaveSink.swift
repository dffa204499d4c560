import ImageCore

/// The sink `save`: one file for each picture.
final class SaveSink: Sink {
  /// The formats of checked calls, reused for later calls with the same file extension and options.
  private var knownFormats: [SaveCall: SaveFormat] = [:]
  /// The conversions to profiles, by the profiles' names, so that each profile's file is read only once.
  var knownProfiles: [String: Picture.Step] = [:]

  /// The options for which a note about their changed meaning was added, each prefixed with its codec's name.
  private var toldChanges: Set<String> = []

  /// The pictures whose profiles are dropped, by call and reason.
  var droppedProfiles = LossLog<DroppedProfile>()

  private struct SaveCall: Hashable {
    let ending: String
    let options: RawArguments
  }

  /// The formats of one call, by file extension; nil if the extension or the options are invalid.
  private typealias SaveFormats = [String: SaveFormat?]

  func checkTogether(in context: CheckContext) -> CheckedOutputs {
    (knownFormats, knownProfiles) = ([:], [:])
    return context.outputs { noteDroppedProfiles(with: &$0) }
  }

  func check(_ request: OutputRequest, in context: CheckContext) -> CheckedOutputs {
    context.outputs { check(request, &$0) }
  }

  private func check(_ request: OutputRequest, _ checker: inout SinkChecker) {
    checker.tellUnreadable(request)
    guard let name = checker.parsed(request.name, request) else { return }
    guard !checker.tellsCount(of: request, named: name) else { return }
    var formats = SaveFormats()
    // The format is checked even if there is no picture to save.
    if !name.endsInField, format(of: request.name, request, &checker, &formats) == nil { return }
    for (index, picture) in request.pictures.enumerated() {
      var path = request.name
      var place: InternedPath?
      var hashed: HashedName?
      do throws(Picture.Problem) {
        // A picture without a file may come from an invalid call, which has been reported. `info` then throws, so that
        // no second mistake is reported: that the output's name lacks the name of a source file.
        if picture.origin == nil { _ = try picture.info() }
        // If possible, the name is claimed before the header is read, so that a missing file does not hide a mistake in
        // the name.
        if !name.needsHeader { (path, place, hashed) = try claimedPath(name, picture, nil, index, request, &checker) }
        let info = try picture.info()
        if name.needsHeader { (path, place, hashed) = try claimedPath(name, picture, info, index, request, &checker) }
        guard let place else { preconditionFailure("a name is claimed before its file is written") }
        guard let format = format(of: path, request, &checker, &formats) else { continue }
        let shown = try withProfile(picture, format, request, &checker)
        if let reason = BitDepth(format.arguments).problem(with: try shown.info().layout.format) {
          throw .diagnostic(request.diagnostic(reason, picture, index))
        }
        var use = shown === picture ? sourceUse(picture, info, format) : nil
        if use != nil, hasUnwantedProfile(picture, format) { use = nil }
        if use != .copied, let reason = picture.reasonNotToDecode {
          throw .diagnostic(request.diagnostic(reason, picture, index))
        }
        checker.add(
          FileOutput(
            picture: shown, format: format, use: use, job: request.job, place: place, hashed: hashed,
            index: request.job.addOutput(
              checker.split(path), key: hashed == nil ? nil : checker.key(path, at: place))))
      } catch {
        checker.fail(error, request.job, path: path)
      }
    }
  }

  private func claimedPath(
    _ name: NameTemplate, _ picture: Picture, _ info: Picture.Info?, _ index: Int, _ request: OutputRequest,
    _ checker: inout SinkChecker
  ) throws(Picture.Problem) -> (path: String, place: InternedPath?, hashed: HashedName?) {
    let (text, hashed): (String, HashedName?)
    do throws(NameTemplate.TemplateError) {
      (text, hashed) = try name.fileName(for: picture, info: info, index: index + 1)
    } catch {
      throw checker.problem(error, picture, request)
    }
    let path = checker.options.outputPath(text, of: request)
    return (path, try checker.claim(path, for: picture, request, isHashed: hashed != nil), hashed)
  }

  private func format(
    of path: String, _ request: OutputRequest, _ checker: inout SinkChecker, _ known: inout SaveFormats
  )
    -> SaveFormat?
  {
    let ending = PathName.fileExtension(path)
    if let format = known[ending] { return format }
    let key = SaveCall(ending: ending, options: request.options)
    var format = knownFormats[key]
    if format == nil, let codec = Self.codec(for: path, request, &checker),
      let arguments = checker.arguments(request.options, SinkParameters.save + codec.saveParameters, request),
      takesGoal(codec, arguments, request, &checker), takes(arguments, codec, request, &checker)
    {
      format = SaveFormat(codec: codec, arguments: arguments)
    }
    knownFormats[key] = format
    known[ending] = format
    return format
  }

  /// Returns the codec for the option `format` or the path's extension; nil if there is none, which is reported.
  static func codec(for path: String, _ request: OutputRequest, _ checker: inout SinkChecker) -> (any PictureCodec)? {
    let format = request.options.named.first { $0.name == "format" }
    let ending = PathName.fileExtension(path)
    if case .text(let name)? = format?.value {
      if let codec = checker.environment.codec(writing: { $0.name == name || $0.extensions.contains(name) }) {
        return codec
      }
      checker.mistake(request, Self.unknownFormat("format '\(name)'", name, request.job.kind, checker.environment))
      return nil
    }
    if let codec = checker.environment.codec(writing: { $0.extensions.contains(ending) }) { return codec }
    if ending.isEmpty, OutputPipe(path) != nil {
      let name = path == OutputPipe.standardOutput ? "standard output" : "'\(path)'"
      checker.mistake(request, "\(name) has no file ending that tells the format; give the option 'format'")
      return nil
    }
    let what = ending.isEmpty ? "'\(path)' has no file ending" : "file ending '.\(ending)'"
    // The ending may be that of the source: `{name}`.
    let isFromSource = PathName.fileExtension(request.name) != ending
    checker.mistake(
      request,
      Self.unknownFormat(
        what, ending, request.job.kind, checker.environment,
        hint: isFromSource ? "; for pictures, set 'format', for example to 'jpg'" : ""))
    return nil
  }

  /// Returns whether the format supports the goal that the options set, if any. Reports an unsupported goal.
  private func takesGoal(
    _ codec: any PictureCodec, _ arguments: Arguments, _ request: OutputRequest, _ checker: inout SinkChecker
  ) -> Bool {
    guard let option = QualityGoal.given(arguments).first?.name else { return true }
    guard QualityGoal.takesGoals(codec) else {
      let codecs = checker.environment.codecs + checker.environment.moreCodecs()
      let others = codecs.filter(QualityGoal.takesGoals).compactMap(\.extensions.first)
      let wayOut = others.isEmpty ? "" : "; use it for " + others.map { "." + $0 }.joined(separator: ", ")
      checker.mistake(request, OptionProblem(option, "finds a quality, and \(codec.title) files have none" + wayOut))
      return false
    }
    if QualityGoal(arguments, codec)?.similarity != nil, let reason = codec.reasonNotToDecode {
      checker.mistake(request, OptionProblem("target", "compares the file with the picture, and \(reason)"))
      return false
    }
    if let other = QualityGoal.substitute(arguments) {
      let reason = other == "lossless" ? "lossless files have none" : "'\(other)' takes its place"
      checker.mistake(request, OptionProblem(option, "finds a quality, and \(reason); leave out '\(other)'"))
      return false
    }
    return true
  }

  /// Returns whether a codec's options can be combined, and reports those that cannot. Notes options whose meaning has
  /// changed, each once per run.
  func takes(_ arguments: Arguments, _ codec: any PictureCodec, _ request: OutputRequest, _ checker: inout SinkChecker)
    -> Bool
  {
    if let reason = BitDepth.conflict(arguments) {
      checker.mistake(request, reason)
      return false
    }
    let other = QualityGoal.substitute(arguments)
    if let other, other != "lossless", arguments.isGiven(QualityGoal.parameter) {
      checker.mistake(
        request,
        OptionProblem(
          QualityGoal.parameter, "and '\(other)' both choose what is lost; leave out one of them"))
      return false
    }
    for option in codec.changedOptions where other == nil {
      guard let value = arguments.given.first(where: { $0.name == option.name })?.value,
        toldChanges.insert(codec.name + option.name).inserted
      else { continue }
      checker.note(
        "'\(option.name)' of \(codec.title) files \(option.meaning); set '\(option.successor)' to \(value.text) for the "
          + "earlier meaning", request)
    }
    return true
  }

  /// Returns the codecs that can write a kind of output.
  static func codecs(for kind: Job.Kind, _ environment: Environment) -> [any PictureCodec] {
    environment.allCodecs.filter { codec in
      switch kind {
      case .animation: codec.animates
      case .multipage: codec.writesPages
      default: codec.writes
      }
    }
  }

  private static func unknownFormat(
    _ what: String, _ written: String, _ kind: Job.Kind, _ environment: Environment, hint: String = ""
  ) -> String {
    if let sink = environment.sinks.first(where: { $0.ending == written }) {
      return "\(what): img.\(sink.kind.rawValue) writes \(written.uppercased()) files" + hint
    }
    let codecs = environment.allCodecs
    if let remedy = environment.codecRemedy(written) {
      return "\(what): the plugin that writes this format is missing; \(remedy)"
    }
    if let reader = codecs.first(where: { !$0.writes && $0.extensions.contains(written) }) {
      let others = Self.codecs(for: kind, environment).compactMap(\.extensions.first).map { "." + $0 }
      return "\(what): imghost reads \(reader.title) files, but writes none; use "
        + others.joined(separator: ", ")
    }
    let endings = codecs.filter(\.writes).flatMap(\.extensions)
    let hint = Suggestion.nearest(to: written, in: endings).map { " (did you mean '\($0)'?)" } ?? ""
    let usual = codecs.filter(\.writes).compactMap(\.extensions.first)
    return "cannot tell the format: \(what)" + hint + "; valid: " + usual.joined(separator: ", ")
  }

  /// Returns how the output is made from the source file's bytes; nil if the picture must be encoded.
  private func sourceUse(_ picture: Picture, _ info: Picture.Info, _ format: SaveFormat) -> SourceUse? {
    guard let file = picture.untouchedFile, !file.readsSidecar, let contents = try? file.read(),
      contents.header.pageCount == 1
    else { return nil }
    let header = contents.header
    let isUpright = header.metadata.orientation == info.metadata.orientation
    if info.codec == format.codec.name { return isUpright && isCopy(file, format) ? .copied : nil }
    // A format that wraps a JPEG takes the orientation only from the JPEG's EXIF.
    if contents.codec.isWrappable { return wraps(format) && isTurnedByEXIF(file, header) ? .wrapped : nil }
    let isRestored = format.codec.isWrappable && header.stored == .original && isUpright
    return isRestored && format.goal == nil && !format.hasOptions ? .restored : nil
  }

  /// Returns whether a picture's orientation comes from its EXIF, and not only from XMP. Also true for an upright
  /// picture.
  private func isTurnedByEXIF(_ file: PictureFile, _ header: PictureHeader) -> Bool {
    guard header.metadata.orientation != .upright else { return true }
    guard let whole = try? file.wholeHeader() else { return false }
    return whole.metadata.exif["Orientation"] == .integer(header.metadata.orientation.rawValue)
  }

  /// Returns whether a JPEG is to be kept byte for byte inside a file of another format: the option `lossless` is
  /// given, and no option requires other pixels or metadata.
  private func wraps(_ format: SaveFormat) -> Bool {
    guard format.codec.wrapsJPEG, format.goal == nil, case .boolean(true)? = format.arguments["lossless"] else {
      return false
    }
    return !format.hasOptions(but: ["lossless", "effort"])
  }

  /// Returns whether the output is a copy of its source: no option requires other bytes, and the source is not too
  /// large.
  private func isCopy(_ file: PictureFile, _ format: SaveFormat) -> Bool {
    guard !format.hasOptions else { return false }
    guard let goal = format.goal else { return true }
    guard goal.similarity == nil, let limit = goal.maximumByteCount, let input = try? file.open() else { return false }
    return input.byteCount <= limit
  }
}

// MARK: - Profile

/// The colour profile of saved files: the option `profile`.
extension SaveSink {
  /// Returns the picture in the colours of the saved file. The option `profile` names a profile to convert it to. If
  /// the file cannot have a profile, the picture is converted to sRGB. With the option `proof`, the picture is first
  /// converted to the printer's profile.
  ///
  /// - Throws: the problem of the picture; `.reported` for a profile that cannot be used, or CMYK that the format does
  ///   not support.
  func withProfile(_ picture: Picture, _ format: SaveFormat, _ request: OutputRequest, _ checker: inout SinkChecker)
    throws(Picture.Problem) -> Picture
  {
    var wanted = format.arguments.optionalText("profile") ?? "keep"
    var picture = picture
    if let printer = format.arguments.optionalText("proof") {
      picture = try converted(picture, to: printer, request, &checker, option: "proof")
      if wanted == "keep" { wanted = StandardProfile.srgb.rawValue }
    }
    if wanted == "keep" {
      guard try Self.takesColours(of: picture, format.codec, request, &checker) else { throw .reported }
      guard let reason = Self.reasonToDropProfile(format) else { return picture }
      noteDroppedProfile(picture, reason, request, checker)
      wanted = StandardProfile.srgb.rawValue
    } else if ![StandardProfile.srgb.rawValue, StandardProfile.gray.rawValue].contains(wanted),
      let reason = Self.reasonToDropProfile(format)
    {
      checker.mistake(request, OptionProblem("profile", "can only be 'srgb' here, because \(reason)"))
      throw .reported
    }
    let shown = try converted(picture, to: wanted, request, &checker)
    guard try Self.takesColours(of: shown, format.codec, request, &checker) else { throw .reported }
    return shown
  }

  /// Returns whether a picture is an unmodified CMYK file, whose bytes could be copied.
  private static func isInk(_ picture: Picture) -> Bool {
    guard case .source(let file, _, _) = picture.step else { return false }
    return (try? file.read())?.header.layout.format.model == .cmyk
  }

  /// Returns whether a format supports the colours of a picture. Reports CMYK for a format that does not support it.
  static func takesColours(
    of picture: Picture, _ codec: any PictureCodec, _ request: OutputRequest, _ checker: inout SinkChecker
  ) throws(Picture.Problem) -> Bool {
    guard !codec.writesInk, try picture.info().layout.format.model == .cmyk else { return true }
    let others = checker.environment.allCodecs.filter { $0.writes && $0.writesInk }.compactMap(\.extensions.first)
    checker.mistake(
      request,
      "\(codec.title) files hold no CMYK; use " + others.map { "." + $0 }.joined(separator: " or ")
        + ", or convert to sRGB")
    return false
  }

  /// Returns the picture in the colours of a profile; the picture itself if it needs no conversion. Reports a profile
  /// that cannot be used.
  func converted(
    _ picture: Picture, to wanted: String, _ request: OutputRequest, _ checker: inout SinkChecker,
    option: String = "profile"
  ) throws(Picture.Problem) -> Picture {
    let own = picture.metadata().iccProfile
    // Pictures without a profile are sRGB, except for CMYK files whose bytes could be copied.
    if own.isEmpty, wanted == StandardProfile.srgb.rawValue, !Self.isInk(picture) { return picture }
    if let step = knownProfiles[wanted] {
      return Picture(step, inputs: [picture], position: request.position, origin: picture.origin)
    }
    do {
      guard let step = try checker.environment.step(.convertsToProfile, [.text(wanted)]) else { return picture }
      knownProfiles[wanted] = step
      return Picture(step, inputs: [picture], position: request.position, origin: picture.origin)
    } catch {
      checker.mistake(request, OptionProblem(option, because: "\(error)"))
      throw .reported
    }
  }

  /// Returns whether the option `profile` requires a conversion, but the profile in the picture's file is unusable. The
  /// file's bytes must not be copied then.
  func hasUnwantedProfile(_ picture: Picture, _ format: SaveFormat) -> Bool {
    guard let wanted = format.arguments.optionalText("profile"), wanted != "keep" else { return false }
    return picture.metadata().losses.contains(where: \.changesColours)
  }

  /// Returns why the files of a format have no profile; nil if they have one. The format may not support profiles, or
  /// the options may exclude metadata.
  static func reasonToDropProfile(_ format: SaveFormat) -> String? {
    guard format.codec.holdsProfile else { return "\(format.codec.title) files hold no profile" }
    if case .text("none")? = format.arguments["metadata"] { return "metadata = 'none' leaves no profile" }
    return nil
  }

  /// Records, in a dry run, a picture whose profile is dropped. Real runs record none, because the colours that they
  /// write are correct.
  func noteDroppedProfile(_ picture: Picture, _ reason: String, _ request: OutputRequest, _ checker: SinkChecker) {
    guard checker.options.isDryRun, StandardProfile.isOtherRGB(picture.metadata().iccProfile) else { return }
    droppedProfiles.add(
      DroppedProfile(reason: reason, call: request.job.kind.rawValue, position: request.position),
      picture.name(at: 0))
  }

  /// Adds notes about pictures whose profiles are dropped: one note for each call and reason.
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

  struct DroppedProfile: Hashable, Sendable {
    let reason: String
    let call: String
    let position: ScriptPosition?
  }
}
