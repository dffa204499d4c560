import ImageCore
import ImageKernels

/// Gives all pixels the same hue and keeps their luminance, as in sharp.
///
/// A pixel keeps its CIE L\*. Its a\* and b\* become those of the colour, times `1 - 4 (L/100 - 1/2)²`, which is 1 at
/// middle gray, and 0 at black and white. Gray pictures become RGB.
package struct Tint: DescribedOperation, ProfiledOperation {
  private let colour: Colour
  package var profiles: (@Sendable (Int) -> [UInt8])?

  package static let descriptor = OperationDescriptor(
    name: "tint", family: "colour", summary: "Give everything one hue and keep the luminance",
    parameters: [.init("colour", .colour, required: true, help: "the hue to take; its lightness makes no difference")],
    positional: 1)

  package init(_ arguments: Arguments) { colour = arguments.colour("colour") }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0].with(format: inputs[0].format.with(model: .rgb))
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let gray = LuminanceSource.open(inputs[0], context)
    let format = gray.layout.format
    let tint = Lab(colour)
    let top = Double(format.sample.maximum)
    let colours = try (0...format.sample.maximum).map { Self.tinted(Double($0) / top, tint) }
      .matching(profiles?(0) ?? [], context)
    let tables = SampleTables(
      format.sample,
      [\Colour.red, \Colour.green, \Colour.blue].map { component in
        { colours[Int(($0 * top).rounded())][keyPath: component] }
      })
    return ConvertingSource(gray, to: format.with(model: .rgb), context) { from, to, width in
      PointKernels.lookUpColours(
        from: from, to: to, width: width, sampleBytes: format.sample.byteCount,
        hasAlpha: format.hasAlpha, tables: tables.entries)
    }
  }

  private static func tinted(_ gray: Double, _ tint: Lab) -> Colour {
    let lightness = Lab.lightness(ofGray: gray)
    let distance = lightness / 100 - 0.5
    let weight = 1 - 4 * distance * distance
    return Lab(lightness: lightness, a: tint.a * weight, b: tint.b * weight).colour
  }
}
