import ImageCore
import ImageKernels

/// Converts colours to another profile, which the picture then has.
///
/// RGB pictures without a profile are treated as sRGB, gray ones as gray with the sRGB curve, and CMYK ones as FOGRA39.
/// Alpha stays unchanged, but before a conversion to CMYK, the picture is flattened onto white, the colour of paper.
package struct ToProfile: DescribedOperation, ProfiledOperation {
  package static let descriptor = OperationDescriptor(
    name: "to_profile", family: "colour",
    summary: "Convert colours to a profile, which the picture then has; without one it is sRGB, or FOGRA39 for CMYK",
    parameters: [
      ParameterDescriptor(
        "profile", .text, required: true,
        help: profileNames + ", or the path of an ICC profile"
      ).namingFile(unless: StandardProfile.allCases.map(\.rawValue)),
      ParameterDescriptor(
        "intent", .choice(RenderingIntent.allCases.map(\.name)), default: .text(RenderingIntent.relative.name),
        help: "the rendering intent"),
      ParameterDescriptor(
        "black_point", .boolean, default: .boolean(true),
        help: "whether black becomes the darkest colour of the profile"),
    ], positional: 1, role: .convertsToProfile)

  /// The maximum size of a profile in bytes. Printer profiles have about 2 MB.
  static let largestProfile = 4 << 20

  private let target: [UInt8]
  private let space: ColourModel
  private let standard: StandardProfile?
  private let intent: RenderingIntent
  private let blackPoint: Bool
  package var profiles: (@Sendable (Int) -> [UInt8])?
  package let readVersion: FileVersion?

  package init(_ arguments: Arguments) throws(OperationError) {
    let name = arguments.text("profile")
    standard = StandardProfile(rawValue: name)
    (target, readVersion) = if let standard { (standard.bytes, nil) } else { try Self.read(name) }
    guard target.count <= Self.largestProfile else {
      throw .unsuitable("'\(name)' is larger than a profile may be, 4 MB")
    }
    // ICC.1:2022, 7.2.6: the colour space is at byte 16.
    let signature = String(decoding: target.dropFirst(16).prefix(4), as: UTF8.self)
    guard let space = ColourModel.allCases.first(where: { $0.signature == signature }) else {
      throw .unsuitable("'\(name)' is no ICC profile for gray, RGB or CMYK")
    }
    self.space = space
    intent = RenderingIntent.allCases.first { $0.name == arguments.text("intent") }!
    blackPoint = arguments.boolean("black_point")
  }

  package var keptByteCount: Int { standard == nil ? target.count : 0 }

  /// Creates the usual conversion to a profile: relative colorimetric, with black point compensation.
  init(_ standard: StandardProfile) {
    (target, space, self.standard) = (standard.bytes, standard.model, standard)
    (intent, blackPoint) = (.relative, true)
    readVersion = nil
  }

  /// Creates a conversion from `source` to the profile of another picture, for `match`.
  private init(matching profile: [UInt8], _ model: ColourModel, from source: [UInt8]) {
    (target, space, standard) = (profile, model, nil)
    (intent, blackPoint) = (.relative, true)
    profiles = { _ in source }
    readVersion = nil
  }

  /// Returns rows converted to the profile of another picture, with which they will be mixed.
  ///
  /// RGB rows become sRGB if the other picture has no RGB profile, or one that cannot be used. Gray rows change only if
  /// their profile has a curve other than that of sRGB.
  ///
  /// - Parameters:
  ///   - own: the ICC profile of the rows; empty if there is none.
  ///   - base: the ICC profile of the other picture; empty if there is none.
  static func match(_ rows: any RowSource, from own: [UInt8], to base: [UInt8], _ context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    if rows.layout.format.model == .gray { return try matchGray(rows, from: own, to: base, context) }
    guard rows.layout.format.model == .rgb else { return rows }
    let srgb = StandardProfile.srgb.bytes
    var base = fits(base, .rgb) ? base : srgb
    do throws(OperationError) {
      if StandardProfile.isOtherRGB(base), own != base, try context.colours.transform(to: base, context) == nil {
        base = srgb
      }
    } catch { throw .operation(error) }
    guard own != base else { return rows }
    return try ToProfile(matching: base, .rgb, from: own).open([rows], nominal: [rows.layout], context: context)
  }

  /// Converts gray rows whose curve is not that of sRGB: to the profile of the other picture, or to gray with the curve
  /// of sRGB if that profile is missing, is sRGB or cannot be used. Returns other rows unchanged.
  private static func matchGray(
    _ rows: any RowSource, from own: [UInt8], to base: [UInt8], _ context: OperationContext
  ) throws(PictureError) -> any RowSource {
    guard fits(own, .gray), StandardProfile.recognised(own) != .gray, own != base else { return rows }
    var (target, model) = (StandardProfile.gray.bytes, ColourModel.gray)
    if fits(base, .gray) {
      target = base
    } else if StandardProfile.isOtherRGB(base) {
      do throws(OperationError) {
        if try context.colours.transform(to: base, context) != nil { (target, model) = (base, .rgb) }
      } catch { throw .operation(error) }
    }
    return try ToProfile(matching: target, model, from: own).open([rows], nominal: [rows.layout], context: context)
  }

  /// Returns whether a profile fits a colour model. That of a picture need not fit: a gray picture that was converted
  /// to sRGB has an sRGB profile.
  private static func fits(_ profile: [UInt8], _ model: ColourModel) -> Bool {
    profile.dropFirst(16).starts(with: Array(model.signature.utf8))
  }

  /// The names of the standard profiles, separated by commas. This runs at every start of the program, so it uses `+`:
  /// `joined(separator:)` would make Swift search all conformances of the program.
  private static var profileNames: String {
    let names = StandardProfile.allCases.map(\.rawValue)
    return names.dropFirst().reduce(names[0]) { $0 + ", " + $1 }
  }

  private static func nearest(to name: String) -> String? {
    Suggestion.nearest(to: name, in: StandardProfile.allCases.map(\.rawValue))
  }

  private static func read(_ path: String) throws(OperationError) -> ([UInt8], FileVersion?) {
    do throws(FileError) {
      let file = try InputFile(path: path)
      return (try file.bytes(at: 0, count: min(file.byteCount, largestProfile + 1)), file.version)
    } catch {
      let near = path.utf8.contains { "/.".utf8.contains($0) } ? nil : nearest(to: path)
      let why = near.map { "did you mean '\($0)'?" } ?? "\(error)"
      throw .unsuitable("there is no profile '\(path)' (\(why)); it is one of \(profileNames), or the path of a file")
    }
  }

  /// Returns the model of the result. A gray picture stays gray if sRGB is requested, because gray samples with the
  /// sRGB curve are sRGB samples.
  private func model(for input: PixelFormat) -> ColourModel {
    input.model == .gray && standard == .srgb ? .gray : space
  }

  private func format(for input: PixelFormat) -> PixelFormat {
    let model = model(for: input)
    return PixelFormat(input.sample, model, alpha: input.hasAlpha && model != .cmyk)
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0].with(format: format(for: inputs[0].format))
  }

  package func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata {
    var result = metadata
    result.iccProfile = target
    return result
  }

  package var convertsColours: Bool { true }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let upstream = model(for: inputs[0].layout.format) == .cmyk ? Self.onPaper(inputs[0], context) : inputs[0]
    let format = upstream.layout.format
    let model = model(for: format)
    let wanted = model == .gray && space == .rgb ? StandardProfile.gray.bytes : target
    let made = try transform(from: format, to: wanted, (format.model.bandCount, model.bandCount), context)
    guard let transform = made else { return PointSource(upstream, context) { _, _ in } }
    let sampleBytes = format.sample.byteCount
    switch transform.tables {
    case .identity: return PointSource(upstream, context) { _, _ in }
    case .matrix(let tables):
      let kernel = transform.form(sampleBytes: sampleBytes) {
        ProfileKernels.Matrix(
          light: tables.light, matrix: tables.matrix, encoded: tables.encoded, sampleBytes: sampleBytes)
      }
      return PointSource(upstream, context) { row, width in
        ProfileKernels.convert(row, width: width, bands: format.bands, sampleBytes: sampleBytes, by: kernel)
      }
    case .light(let conversion, let curves):
      let grid = transform.form(sampleBytes: sampleBytes) {
        LightGrid(conversion.samples, steps: conversion.steps, sampleBytes: sampleBytes) { curves.value($0, band: $1) }
      }
      return ConvertingSource(upstream, to: format.with(model: model), context) { from, to, width in
        grid.convert(from, to: to, width: width, hasAlpha: format.hasAlpha)
      }
    case .samples(let conversion):
      let grid = transform.form(sampleBytes: sampleBytes) {
        SampledKernels.Grid(
          conversion.samples, steps: conversion.steps, sourceBands: transform.sourceBands,
          targetBands: transform.targetBands, sampleBytes: sampleBytes)
      }
      return ConvertingSource(upstream, to: format.with(model: model), context) { from, to, width in
        SampledKernels.convert(
          from, to: to, width: width, hasAlpha: format.hasAlpha, sampleBytes: sampleBytes, by: grid)
      }
    }
  }

  /// Returns rows without alpha, flattened onto white.
  private static func onPaper(_ upstream: any RowSource, _ context: OperationContext) -> any RowSource {
    let format = upstream.layout.format
    guard format.hasAlpha else { return upstream }
    let conversion = FormatConversion(from: format, to: format.with(alpha: false))
    return ConvertingSource(upstream, to: conversion.target, context) { from, to, width in
      conversion.convert(from, to: to, width: width)
    }
  }

  /// Returns the conversion; nil if the picture already has the wanted profile, or if its own profile is damaged and
  /// the usual one is wanted.
  ///
  /// - Parameter bands: the numbers of colour bands before and after the conversion. Tables from a worker process are
  ///   rejected if they have other numbers.
  private func transform(
    from format: PixelFormat, to wanted: [UInt8], _ bands: (source: Int, target: Int), _ context: OperationContext
  ) throws(PictureError) -> ColourTransform? {
    let usual = StandardProfile.usual(for: format.model).bytes
    let own = profiles?(0) ?? []
    let source = Self.fits(own, format.model) ? own : usual
    guard source != wanted else { return nil }
    do throws(OperationError) {
      func fitting(_ profile: [UInt8]) throws(OperationError) -> ColourTransform? {
        let made = try context.colours.transform(from: profile, to: wanted, intent, blackPoint: blackPoint)
        return made.flatMap { $0.sourceBands == bands.source && $0.targetBands == bands.target ? $0 : nil }
      }
      if let made = try fitting(source) { return made }
      context.note("the colour profile is damaged and ignored")
      guard usual != wanted else { return nil }
      if let made = try fitting(usual) { return made }
      throw .unsuitable("cannot convert colours: the plugin 'colour' gave tables for other pictures")
    } catch { throw .operation(error) }
  }
}
