import ImageCore

/// Changes brightness, saturation, hue and lightness in CIE LCh for the white point D65, as sharp does.
package struct Modulate: DescribedOperation {
  private let brightness: Double
  private let saturation: Double
  private let hue: Double
  private let lightness: Double

  package static let descriptor = OperationDescriptor(
    name: "modulate", family: "colour",
    summary: "Change brightness, saturation, hue and lightness, in CIE LCh",
    parameters: [
      .init(
        "brightness", .number(0...100), default: .number(1), help: "factor for the lightness L"),
      .init(
        "saturation", .number(0...100), default: .number(1),
        help: "factor for the chroma C; 0 makes gray"),
      .init(
        "hue", .number(-360...360), default: .number(0), unit: "degrees",
        help: "angle by which to rotate the hue"),
      .init(
        "lightness", .number(-100...100), default: .number(0),
        help: "added to the lightness L, which is from 0 to 100"),
    ], positional: 3)

  package init(_ arguments: Arguments) {
    brightness = arguments.number("brightness")
    saturation = arguments.number("saturation")
    hue = arguments.number("hue")
    lightness = arguments.number("lightness")
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    LabSource.open(inputs[0], context, scale: brightness, shift: lightness, chroma: saturation, hue: hue)
  }
}
