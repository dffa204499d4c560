import ImageCore

/// All operations that scripts can call, in the order in which `imghost ops` lists them.
package enum OperationList {
  /// The conversion of CMYK pictures when they are opened.
  package static let toSRGB: any PictureOperation = ToProfile(.srgb)

  package static let all: [OperationDefinition] = [
    // Conversion
    .init(AutoOrient.self),
    .init(Crop.self),
    .init(EnsureAlpha.self),
    .init(Extend.self),
    .init(ExtractBand.self),
    .init(Flatten.self),
    .init(Flip.self),
    .init(Flop.self),
    .init(RemoveAlpha.self),
    .init(WithMetadata.self),
    // Resample
    .init(Affine.self),
    .init(Fill.self),
    .init(Fit.self),
    .init(Perspective.self),
    .init(Resize.self),
    .init(Rotate.self),
    .init(Thumbnail.self),
    // Colour
    .init(Clahe.self),
    .init(Curves.self),
    .init(Gamma.self),
    .init(Grayscale.self),
    .init(Invert.self),
    .init(Levels.self),
    .init(Linear.self),
    .init(Modulate.self),
    .init(Normalize.self),
    .init(Recomb.self),
    .init(Threshold.self),
    .init(Tint.self),
    .init(ToProfile.self),
    // Convolution
    .init(Blur.self),
    .init(Convolve.self),
    .init(Dilate.self),
    .init(Erode.self),
    .init(Median.self),
    .init(Sharpen.self),
    // Arithmetic
    .init(Composite.self),
    .init(Draw.self),
    .init(Text.self),
  ]

  /// The function `img.text`, which has no input picture.
  package static let textPicture = OperationDefinition(TextPicture.self)
}

extension DescribedOperation {
  /// Returns the layout of the first input, which most operations do not change.
  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout { inputs[0] }
}
