import ImageCore
import ImageKernels

/// Replaces each colour band by a weighted sum of all three; the weights are the rows of a matrix. Encoded samples are
/// summed, as in `recomb` of libvips and sharp.
///
/// A gray picture is treated as three equal bands. Alpha stays unchanged.
package struct Recomb: DescribedOperation {
  private let matrix: [Double]

  package static let descriptor = OperationDescriptor(
    name: "recomb", family: "colour", summary: "Mix the colour bands by a matrix",
    parameters: [
      .init(
        "matrix", .numbers(9...9), required: true,
        help: "three rows, for red, green and blue of the result, of factors for red, green and blue: "
          + "{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } changes nothing")
    ], positional: 1)

  package init(_ arguments: Arguments) { matrix = arguments.numbers("matrix") }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0].with(format: inputs[0].format.with(model: .rgb))
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let input = inputs[0].layout.format
    let format = input.with(model: .rgb)
    let rows = BandSelection(from: input, to: format).open(inputs[0], context)
    let matrix = BandMatrix(rows: matrix.map(Float.init))
    return PointSource(rows, context) { row, width in
      matrix.apply(row, width: width, sampleBytes: format.sample.byteCount, hasAlpha: format.hasAlpha)
    }
  }
}
