import ImageCore

/// The sinks `animation` and `multipage`: several pictures in one file, as the frames of an animation or as pages.
final class MultipageSink: Sink {
  /// The sink that converts pages to one colour space.
  private let saving: SaveSink

  init(_ saving: SaveSink) { self.saving = saving }

  func check(_ request: OutputRequest, in context: CheckContext) -> CheckedOutputs {
    context.outputs { check(request, &$0) }
  }

  private func check(_ request: OutputRequest, _ checker: inout SinkChecker) {
    let isAnimation = request.job.kind == .animation
    let path = checker.options.outputPath(request.name, of: request)
    guard let codec = codec(request, &checker),
      let arguments = checker.arguments(
        request.options, (isAnimation ? SinkParameters.animation : SinkParameters.multipage) + codec.saveParameters,
        request)
    else { return checker.tellUnreadable(request) }
    guard !request.pictures.isEmpty else {
      if !checker.lacksPictures { checker.mistake(request, "there is no picture to write") }
      return
    }
    guard saving.takes(arguments, codec, request, &checker), takesCount(request, codec, &checker) else { return }
    do throws(Picture.Problem) {
      let format = SaveFormat(codec: codec, arguments: arguments)
      let (pictures, profile) = try inOneSpace(request, format, &checker)
      let layouts = try layouts(pictures, request, format, &checker)
      let hashed = checker.hashedName(request)
      let place = try checker.claim(path, for: nil, request, isHashed: hashed != nil)
      let file = MultipageFile(
        path: path, place: place, hashed: hashed.map { ($0, checker.key(path, at: place)) }, format: format,
        layouts: layouts,
        delays: isAnimation ? delays(request, arguments) : layouts.map { _ in 0 },
        usualDelays: isAnimation ? delays(request, nil) : [], described: Self.described(request.pictures),
        profile: profile, job: request.job)
      checker.add(
        file,
        pictures.enumerated().map { index, picture in
          DocumentEntry(document: file, picture: picture, index: index, copiesSource: false)
        })
    } catch { checker.fail(error, request.job, path: path) }
  }

  /// Returns whether the format can hold this many pages. If not, reports a mistake.
  private func takesCount(_ request: OutputRequest, _ codec: any PictureCodec, _ checker: inout SinkChecker) -> Bool {
    guard let most = codec.maximumPageCount, request.pictures.count > most else { return true }
    checker.mistake(
      request,
      "\(codec.title) files hold at most \(most) \(request.job.kind == .animation ? "frames" : "pages"), and there are "
        + "\(request.pictures.count); page \(most + 1) is too many")
    return false
  }

  /// Returns the picture whose metadata is written into the file: the first one if all pictures come from one file;
  /// otherwise nil, because metadata such as a location need not apply to all pages.
  private static func described(_ pictures: [Picture]) -> Picture? {
    guard let first = pictures.first, let path = first.origin?.path, pictures.allSatisfy({ $0.origin?.path == path })
    else { return nil }
    return first
  }

  /// Converts all pages to one profile. Returns the pages, and the profile that is written into the file: the pages'
  /// own profile if all have the same and the file can keep it; otherwise none, which means sRGB.
  private func inOneSpace(_ request: OutputRequest, _ format: SaveFormat, _ checker: inout SinkChecker)
    throws(Picture.Problem) -> (pictures: [Picture], profile: [UInt8])
  {
    var known: [String: [UInt8]] = [:]
    let profiles = request.pictures.map { $0.iccProfile(&known) }
    let dropped = SaveSink.reasonToDropProfile(format)
    let first = profiles[0]
    guard dropped != nil || profiles.contains(where: { $0 != first }) else { return (request.pictures, first) }
    var inks: [Bool] = []
    for picture in request.pictures { inks.append(try picture.info().layout.format.model == .cmyk) }
    if dropped == nil, inks.contains(true) {
      // A mixture of CMYK and other pages is reported by `layouts`.
      guard !inks.contains(false), let index = profiles.firstIndex(where: { $0 != first }) else {
        return (request.pictures, first)
      }
      throw .diagnostic(
        request.diagnostic(
          "page \(index + 1) is CMYK of another profile than page 1; convert both to one", request.pictures[index],
          index))
    }
    let reason = dropped ?? "the \(request.job.kind == .animation ? "frames" : "pages") have different profiles"
    var pictures: [Picture] = []
    for (index, picture) in request.pictures.enumerated() {
      if !profiles[index].isEmpty { saving.noteDroppedProfile(picture, reason, request, checker) }
      let isPlain = profiles[index].isEmpty && !inks[index]
      pictures.append(
        isPlain ? picture : try saving.converted(picture, to: StandardProfile.srgb.rawValue, request, &checker))
    }
    return (pictures, [])
  }

  /// Returns the layout of each page in the file. Unless they are CMYK, all pages have one pixel format, which can
  /// represent every picture.
  private func layouts(
    _ pictures: [Picture], _ request: OutputRequest, _ format: SaveFormat, _ checker: inout SinkChecker
  ) throws(Picture.Problem) -> [PictureLayout] {
    let codec = format.codec
    var layouts: [PictureLayout] = []
    for picture in pictures { layouts.append(try picture.info().layout) }
    for picture in pictures {
      guard try SaveSink.takesColours(of: picture, codec, request, &checker) else { throw .reported }
    }
    let formats = layouts.map(\.format)
    for (index, own) in formats.enumerated() {
      guard let reason = BitDepth(format.arguments).problem(with: own) else { continue }
      throw .diagnostic(request.diagnostic("page \(index + 1): \(reason)", request.pictures[index], index))
    }
    if formats.contains(where: { $0.model == .cmyk }) {
      guard let index = formats.firstIndex(where: { $0.model != .cmyk }) else {
        return layouts.map { codec.encodedLayout(for: $0, format.arguments) }
      }
      throw .diagnostic(
        request.diagnostic(
          "page \(index + 1) is not CMYK, and others are; convert all pages or none", request.pictures[index], index))
    }
    let richest = PixelFormat(
      formats.contains { $0.sample == .u16 } ? .u16 : .u8, formats.contains { $0.model == .rgb } ? .rgb : .gray,
      alpha: formats.contains { $0.hasAlpha })
    let first = layouts[0]
    if request.job.kind == .animation,
      let index = layouts.firstIndex(where: { ($0.width, $0.height) != (first.width, first.height) })
    {
      let other = layouts[index]
      throw .diagnostic(
        request.diagnostic(
          "frame \(index + 1) is \(other.width)x\(other.height) and the first is \(first.width)x\(first.height); "
            + "give all frames one size, such as with fill(\(first.width), \(first.height))", request.pictures[index],
          index))
    }
    return layouts.map { codec.encodedLayout(for: $0.with(format: richest), format.arguments) }
  }

  /// Returns the display time of each frame in seconds: the option `delay`, or else the delay in the frame's file. A
  /// delay of up to 10 ms, or a missing one, is replaced by 100 ms, as in browsers.
  ///
  /// - Parameter arguments: the options; nil for the delays without the option.
  private func delays(_ request: OutputRequest, _ arguments: Arguments?) -> [Double] {
    request.pictures.map { picture in
      let delay = arguments?.optionalNumber("delay") ?? (try? picture.origin?.read().header.delay) ?? 0
      return delay <= 0.01 ? 0.1 : delay
    }
  }

  private func codec(_ request: OutputRequest, _ checker: inout SinkChecker) -> (any PictureCodec)? {
    guard let codec = SaveSink.codec(for: request.name, request, &checker) else { return nil }
    if request.job.kind == .animation ? codec.animates : codec.writesPages { return codec }
    let can = SaveSink.codecs(for: request.job.kind, checker.environment)
    let what = request.job.kind == .animation ? "animations" : "several pages"
    checker.mistake(
      request,
      "imghost does not write \(what) as \(codec.title); "
        + (can.isEmpty
          ? "no installed codec does, see 'imghost plugins'"
          : "use " + can.compactMap { codec in codec.extensions.first.map { "." + $0 } }.joined(separator: " or ")))
    return nil
  }
}
