import ImageCore

/// Maps samples by curves through given points: a common curve for all colour bands, and curves for red, green and
/// blue.
///
/// The curve of a band is applied before the common curve. Alpha stays unchanged.
package struct Curves: DescribedOperation {
  private let common: ToneCurve?
  private let own: [ToneCurve?]

  private static let bands = ["red", "green", "blue"]
  private static let points = ParameterKind.numbers(4...128)

  package static let descriptor = OperationDescriptor(
    name: "curves", family: "colour", summary: "Map samples by a smooth curve through points",
    parameters: [
      .init(
        "points", points,
        help: "for all colour bands, pairs of a sample and its new value: { { 0, 0 }, { 64, 50 }, { 255, 255 } }, "
          + "on a scale of 0 to 255")
    ] + bands.map { .init($0, points, help: "the same for the \($0) band alone, before 'points'") },
    positional: 1)

  package init(_ arguments: Arguments) throws(OperationError) {
    func curve(_ name: String) throws(OperationError) -> ToneCurve? {
      guard let numbers = arguments.optionalNumbers(name) else { return nil }
      return try ToneCurve(numbers, name: name)
    }
    common = try curve("points")
    own = [try curve("red"), try curve("green"), try curve("blue")]
    guard common != nil || own.contains(where: { $0 != nil }) else {
      throw .incomplete("give it 'points', or points of a band such as 'red'")
    }
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    if inputs[0].format.model == .gray, let band = own.firstIndex(where: { $0 != nil }) {
      throw .unsuitable("a gray picture has no \(Self.bands[band]) band; give it 'points'")
    }
    return inputs[0]
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let common = common
    let curves = (own.contains { $0 != nil } ? own : [nil]).map { own -> SampleTables.Curve in
      { sample in
        let value = own?.value(at: sample) ?? sample
        return common?.value(at: value) ?? value
      }
    }
    return SampleTables.open(inputs[0], context, colour: curves)
  }
}
