import ImageCore
import Platform

/// Raises every colour sample, as a fraction of full intensity, to the power of `1 / exponent`.
///
/// As in libvips and ImageMagick, an exponent above 1 brightens. sharp's `gamma` darkens before a resize and brightens
/// after it; the equivalent in a script is `gamma(1 / 2.2)`, the resize, and `gamma(2.2)`.
package struct Gamma: DescribedOperation {
  private let exponent: Double

  package static let descriptor = OperationDescriptor(
    name: "gamma", family: "colour", summary: "Brighten or darken the middle tones by a power curve",
    parameters: [
      .init(
        "exponent", .number(0.01...100), default: .number(2.4),
        help: "above 1 brightens, below 1 darkens: samples are raised to the power of 1 / exponent")
    ], positional: 1)

  package init(_ arguments: Arguments) { exponent = arguments.number("exponent") }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    SampleTables.open(inputs[0], context, colour: [{ pow($0, 1 / exponent) }])
  }
}
