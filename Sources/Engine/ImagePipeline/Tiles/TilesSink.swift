import ImageCore

/// The sink `tiles`: a pyramid of tiles for each picture, for viewers that zoom.
final class TilesSink: Sink {
  /// The sink that converts pictures to the colours of files without a profile.
  private let saving: SaveSink

  init(_ saving: SaveSink) { self.saving = saving }

  func check(_ request: OutputRequest, in context: CheckContext) -> CheckedOutputs {
    context.outputs { check(request, &$0) }
  }

  private func check(_ request: OutputRequest, _ checker: inout SinkChecker) {
    checker.tellUnreadable(request)
    guard let name = checker.parsed(request.name, request) else { return }
    guard !name.hasHash else {
      return checker.mistake(
        request, "'\(request.name)': {hash} is for the names of files, and tiles are a folder of many")
    }
    guard OutputPipe.descriptor(of: request.name) == nil else {
      return checker.mistake(request, "'\(request.name)' takes one file, and tiles are a folder of many")
    }
    guard !checker.tellsCount(of: request, named: name), let settings = settings(request, &checker) else { return }
    for (index, picture) in request.pictures.enumerated() {
      var path = request.name
      do throws(Picture.Problem) {
        let info = try picture.info()
        do throws(NameTemplate.TemplateError) {
          path = try name.text(for: picture, info: info, index: index + 1)
        } catch {
          throw checker.problem(error, picture, request)
        }
        path = PathName.joined(checker.options.outputFolder, path)
        if let reason = picture.reasonNotToDecode { throw .diagnostic(request.diagnostic(reason, picture, index)) }
        saving.noteDroppedProfile(picture, "tiles hold no profile", request, checker)
        let shown = try saving.converted(picture, to: StandardProfile.srgb.rawValue, request, &checker)
        if let reason = BitDepth(settings.format.arguments).problem(with: try shown.info().layout.format) {
          throw .diagnostic(request.diagnostic(reason, picture, index))
        }
        let pyramid = settings.pyramid(try shown.info().layout, path)
        let places = try claim(path, pyramid, picture, request, &checker)
        let file = TilesFile(pyramid, settings.format, path: path, places: places, job: request.job)
        checker.add(file, [DocumentEntry(document: file, picture: shown, index: 0, copiesSource: false)])
      } catch {
        checker.fail(error, request.job, path: path)
      }
    }
  }

  private struct Settings {
    let format: SaveFormat
    let layout: TileLayout
    let side: Int
    let overlap: Int
    let ending: String
    let address: String

    func pyramid(_ picture: PictureLayout, _ path: String) -> TilePyramid {
      let name = String(PathName.name(TilesFile.paths(path, layout).folder))
      let root = address.hasSuffix("/") ? String(address.dropLast()) : address
      return TilePyramid(
        layout, width: picture.width, height: picture.height, side: side, overlap: overlap, ending: ending,
        address: root + "/" + PercentEncoding.path(name))
    }
  }

  private func settings(_ request: OutputRequest, _ checker: inout SinkChecker) -> Settings? {
    let hasFormat = request.options.named.contains { $0.name == "format" }
    let usual = checker.environment.codec { $0.extensions.contains("jpg") }
    guard let codec = hasFormat ? SaveSink.codec(for: request.name, request, &checker) : usual else { return nil }
    let own = codec.saveParameters.filter { $0.name != "metadata" }
    guard let arguments = checker.arguments(request.options, SinkParameters.tiles + own, request),
      saving.takes(arguments, codec, request, &checker)
    else { return nil }
    guard let layout = TileLayout(rawValue: arguments.text("layout")) else {
      preconditionFailure("layouts are checked against their names")
    }
    let side = arguments.optionalInteger("size") ?? layout.usualSide
    let overlap = arguments.optionalInteger("overlap") ?? layout.usualOverlap
    for (option, home) in [("overlap", TileLayout.deepzoom), ("id", .iiif)] where layout != home {
      guard arguments.isGiven(option) else { continue }
      checker.mistake(request, OptionProblem(option, "belongs to layout '\(home.rawValue)'; leave it out"))
      return nil
    }
    guard overlap < side else {
      checker.mistake(request, OptionProblem("overlap", "must be less than 'size', which is \(side)"))
      return nil
    }
    return Settings(
      format: SaveFormat(codec: codec, arguments: arguments), layout: layout, side: side, overlap: overlap,
      ending: codec.extensions.first ?? codec.name, address: arguments.text("id"))
  }

  /// Claims the paths of a pyramid, and returns the paths of its folder and its description.
  private func claim(
    _ path: String, _ pyramid: TilePyramid, _ picture: Picture, _ request: OutputRequest, _ checker: inout SinkChecker
  ) throws(Picture.Problem) -> TilesFile.Places {
    let paths = TilesFile.paths(path, pyramid.layout)
    let folder = try checker.claim(paths.folder, for: picture, request)
    guard let description = paths.description else { return TilesFile.Places(folder: folder, description: nil) }
    return TilesFile.Places(folder: folder, description: try checker.claim(description, for: picture, request))
  }
}
