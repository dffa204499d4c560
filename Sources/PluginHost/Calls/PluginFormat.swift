import CPluginABI
import ImageCore

/// How a picture's pixels are handed to a plugin that may not take them as they are.
struct PluginFormat: Sendable, Hashable {
  /// What the plugin gets and gives: `IMGHOST_SAMPLE_…`.
  let sample: UInt32
  let model: ColourModel
  let hasAlpha: Bool
  let isPremultiplied: Bool
  /// The picture as it comes and as it leaves.
  let input: PixelFormat
  let output: PixelFormat

  /// The nearest of what the plugin takes: the sample type that loses least, gray before RGB.
  init(_ plugin: PluginDescription, for picture: PixelFormat) throws(OperationError) {
    let samples: [UInt32] =
      picture.sample == .u8
      ? [IMGHOST_SAMPLE_U8, IMGHOST_SAMPLE_U16, IMGHOST_SAMPLE_F32]
      : [IMGHOST_SAMPLE_U16, IMGHOST_SAMPLE_F32, IMGHOST_SAMPLE_U8]
    sample = samples.first(where: plugin.takes(sample:)) ?? samples[0]
    let models: [ColourModel] = picture.model == .gray ? [.gray, .rgb] : [.rgb]
    let choices = models.flatMap { model in
      [picture.hasAlpha, !picture.hasAlpha].map { (model: model, alpha: $0) }
    }
    guard
      let choice = choices.first(where: {
        plugin.takes(bands: $0.model.bandCount + ($0.alpha ? 1 : 0))
      })
    else { throw .unsuitable("it works on gray pictures only; call grayscale() before it") }
    model = choice.model
    hasAlpha = choice.alpha
    isPremultiplied = choice.alpha && plugin.wantsPremultipliedAlpha
    input = picture
    output = picture.with(model: choice.model)
  }

  /// Bands of a pixel as the plugin sees it.
  var bands: Int { model.bandCount + (hasAlpha ? 1 : 0) }

  /// Whether the picture's alpha bypasses the plugin.
  var keepsAlphaAside: Bool { input.hasAlpha && !hasAlpha }

  /// Whether rows can be handed over as they are.
  var isDirect: Bool {
    input == output && hasAlpha == input.hasAlpha && !isPremultiplied
      && sample == Self.sample(of: input)
  }

  static func sample(of format: PixelFormat) -> UInt32 {
    format.sample == .u8 ? IMGHOST_SAMPLE_U8 : IMGHOST_SAMPLE_U16
  }

  /// The picture as the plugin sees it.
  func picture(width: Int, height: Int) -> WirePicture {
    let sampleByteCount = sample == IMGHOST_SAMPLE_U8 ? 1 : sample == IMGHOST_SAMPLE_U16 ? 2 : 4
    let alpha =
      !hasAlpha
      ? IMGHOST_ALPHA_NONE
      : isPremultiplied ? IMGHOST_ALPHA_PREMULTIPLIED : IMGHOST_ALPHA_STRAIGHT
    return WirePicture(
      width: UInt32(width), height: UInt32(height), sample: sample, bands: UInt32(bands),
      alpha: alpha, stride: UInt64((width * bands * sampleByteCount + 63) & ~63))
  }
}
