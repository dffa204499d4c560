import ImageCore

/// Computes `a * sample + b`. `b` is on a scale of 0 to 255, even for 16-bit pictures.
///
/// Each of `a` and `b` is one number for all colour bands, a list with a number for each colour band, or a list with a
/// number for each band including alpha. Alpha stays unchanged unless it has a number of its own.
package struct Linear: DescribedOperation {
  private let factors: [Double]
  private let offsets: [Double]

  package static let descriptor = OperationDescriptor(
    name: "linear", family: "colour", summary: "Multiply samples by a and add b: contrast and brightness",
    parameters: [
      .init(
        "a", .numbers(1...4), default: .list([.number(1)]),
        help: "factor for all colour bands, or a list with a factor for each band"),
      .init(
        "b", .numbers(1...4), default: .list([.number(0)]),
        help: "added afterwards, on a scale of 0 to 255; one number, or one for each band"),
    ], positional: 2)

  package init(_ arguments: Arguments) {
    factors = arguments.numbers("a")
    offsets = arguments.numbers("b")
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let format = inputs[0].format
    let colours = format.model.bandCount
    for (name, list) in [("a", factors), ("b", offsets)] {
      guard [1, colours, format.bands].contains(list.count) else {
        throw .unsuitable(
          "'\(name)' has \(list.count) numbers; a \(format) picture takes 1 or \(colours)"
            + (format.hasAlpha ? ", or \(format.bands) with alpha" : ""))
      }
    }
    return inputs[0]
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let format = inputs[0].layout.format
    let colours = format.model.bandCount
    func curve(_ a: Double, _ b: Double) -> SampleTables.Curve { { a * $0 + b / 255 } }
    let curves = (0..<colours).map { band in
      curve(factors[min(band, factors.count - 1)], offsets[min(band, offsets.count - 1)])
    }
    let isUniform = factors.count == 1 && offsets.count == 1
    // A single number applies only to the colour bands. Alpha changes only if it has a number of its own.
    let alpha = format.hasAlpha ? colours : Int.max
    let alphaFactor = alpha < factors.count ? factors[alpha] : 1
    let alphaOffset = alpha < offsets.count ? offsets[alpha] : 0
    return SampleTables.open(
      inputs[0], context, colour: isUniform ? [curves[0]] : curves,
      alpha: alphaFactor == 1 && alphaOffset == 0 ? nil : curve(alphaFactor, alphaOffset))
  }
}
