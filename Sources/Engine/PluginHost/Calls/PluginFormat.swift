import CPluginABI
import ImageCore

/// The format of the pictures that a plugin receives and returns, and the host's formats of its input and its result.
struct PluginFormat: Sendable, Hashable {
  /// The sample type of the plugin's pictures: `IMGHOST_SAMPLE_…`.
  let sample: UInt32
  let model: ColourModel
  let hasAlpha: Bool
  let isPremultiplied: Bool
  /// Whether the plugin's first band is blue instead of red.
  let isBlueFirst: Bool
  /// The sides of the plugin's pictures must be multiples of this number.
  let sideMultiple: Int
  /// Whether the rows of the plugin's pictures follow one another without padding.
  let isPacked: Bool
  /// The simplest format that can represent all input pictures of the operation without loss; `output` for a source.
  let input: PixelFormat
  let output: PixelFormat

  /// Chooses the nearest format that the plugin accepts: the sample type that loses least, and gray rather than RGB for
  /// a gray picture. Throws an error for a colour picture if the plugin accepts only gray.
  init(_ plugin: PluginDescription, for picture: PixelFormat) throws(OperationError) {
    let samples: [UInt32] =
      picture.sample == .u8
      ? [IMGHOST_SAMPLE_U8, IMGHOST_SAMPLE_U16, IMGHOST_SAMPLE_F32]
      : [IMGHOST_SAMPLE_U16, IMGHOST_SAMPLE_F32, IMGHOST_SAMPLE_U8]
    let models: [ColourModel] = picture.model == .gray ? [.gray, .rgb] : [.rgb]
    let choices = models.flatMap { model in
      [picture.hasAlpha, !picture.hasAlpha].map { (model: model, alpha: $0) }
    }
    guard
      let choice = choices.first(where: {
        plugin.takes(bands: $0.model.bandCount + ($0.alpha ? 1 : 0))
      })
    else { throw .unsuitable("it works on gray pictures only; call grayscale() before it") }
    self.init(
      plugin, sample: samples.first(where: plugin.takes(sample:)) ?? samples[0],
      model: choice.model, hasAlpha: choice.alpha, input: picture,
      output: picture.with(model: choice.model))
  }

  /// Chooses the format of a source's result: the requested depth if the source supports it, colour rather than gray,
  /// and then no alpha rather than alpha.
  ///
  /// - Parameter isDeep: whether 16 bits are requested instead of 8.
  init(source plugin: PluginDescription, isDeep: Bool = false) {
    let samples: [UInt32] =
      isDeep
      ? [IMGHOST_SAMPLE_U16, IMGHOST_SAMPLE_F32, IMGHOST_SAMPLE_U8]
      : [IMGHOST_SAMPLE_U8, IMGHOST_SAMPLE_U16, IMGHOST_SAMPLE_F32]
    let sample = samples.first(where: plugin.takes(sample:)) ?? samples[0]
    let bands = [3, 4, 1, 2].first(where: plugin.takes(bands:)) ?? 3
    let format = PixelFormat(sample == IMGHOST_SAMPLE_U8 ? .u8 : .u16, bands > 2 ? .rgb : .gray, alpha: bands % 2 == 0)
    self.init(plugin, sample: sample, model: format.model, hasAlpha: format.hasAlpha, input: format, output: format)
  }

  private init(
    _ plugin: PluginDescription, sample: UInt32, model: ColourModel, hasAlpha: Bool,
    input: PixelFormat, output: PixelFormat
  ) {
    self.sample = sample
    self.model = model
    self.hasAlpha = hasAlpha
    isPremultiplied = hasAlpha && plugin.wantsPremultipliedAlpha
    isBlueFirst = plugin.origin == .frei0rBlueFirst
    isPacked = plugin.origin != .native
    sideMultiple = plugin.sideMultiple
    self.input = input
    self.output = output
  }

  /// Returns the simplest format that can represent pictures of all these formats without loss.
  static func common(_ formats: [PixelFormat]) -> PixelFormat {
    PixelFormat(
      formats.contains { $0.sample == .u16 } ? .u16 : .u8,
      formats.contains { $0.model == .rgb } ? .rgb : .gray,
      alpha: formats.contains(where: \.hasAlpha))
  }

  var bands: Int { model.bandCount + (hasAlpha ? 1 : 0) }

  var pixelByteCount: Int { bands * (sample == IMGHOST_SAMPLE_U8 ? 1 : sample == IMGHOST_SAMPLE_U16 ? 2 : 4) }

  /// Whether the picture's alpha bypasses the plugin.
  var keepsAlphaAside: Bool { input.hasAlpha && !hasAlpha }

  /// Whether 16-bit samples are reduced to 8 bits for the plugin.
  var losesDepth: Bool { input.sample == .u16 && sample == IMGHOST_SAMPLE_U8 }

  /// Returns whether rows in the given format can be passed to the plugin, or taken from it, without conversion.
  func isDirect(_ format: PixelFormat) -> Bool {
    format.model == model && format.hasAlpha == hasAlpha && !isPremultiplied && !isBlueFirst
      && sample == Self.sample(of: format)
  }

  static func sample(of format: PixelFormat) -> UInt32 {
    format.sample == .u8 ? IMGHOST_SAMPLE_U8 : IMGHOST_SAMPLE_U16
  }

  /// Returns the description of a picture in the plugin's format, with sides rounded up to multiples of `sideMultiple`.
  func picture(width: Int, height: Int) -> WirePicture {
    let alpha = !hasAlpha ? IMGHOST_ALPHA_NONE : isPremultiplied ? IMGHOST_ALPHA_PREMULTIPLIED : IMGHOST_ALPHA_STRAIGHT
    let (width, height) = (padded(width), padded(height))
    let rowByteCount = width * pixelByteCount
    return WirePicture(
      width: UInt32(width), height: UInt32(height), sample: sample, bands: UInt32(bands),
      alpha: alpha, stride: UInt64(isPacked ? rowByteCount : (rowByteCount + 63) & ~63))
  }

  private func padded(_ side: Int) -> Int { (side + sideMultiple - 1) / sideMultiple * sideMultiple }
}
