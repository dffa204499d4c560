import ImageCore
import TextShaping
import VectorShapes

/// Creates a picture of a text on a transparent background, as large as the text with its shadow and outline.
package struct TextPicture: DescribedOperation {
  // Only the text is kept, and laid out again for drawing, because the outlines of glyphs take 3,600 bytes per letter.
  private let text: String
  private let style: LetteringStyle
  private let size: Double
  private let width: Double
  private let region: Region
  private let map: AffineMap

  package static let descriptor = OperationDescriptor(
    name: "img.text", family: "source", summary: "Make a picture of a text on a transparent ground",
    parameters: [
      .init("text", .text, required: true, help: "the text"),
      .init(
        "size", .number(Text.sizes), default: .integer(48), unit: "px", help: "size of the font",
        synonyms: ["font_size", "fontsize", "pointsize"]),
      .init(
        "width", .number(1...100_000), unit: "px", help: "width at which lines are broken; by default they are not",
        synonyms: ["max_width", "wrap"]),
    ]
      + LetteringStyle.parameters.map { parameter in
        guard parameter.name == "colour" else { return parameter }
        return ParameterDescriptor(
          "colour", .colour, default: .colour(.black), help: parameter.help, synonyms: parameter.synonyms)
      }, positional: 1)

  package var drawsText: Bool { true }

  package init(_ arguments: Arguments) throws(OperationError) {
    text = arguments.text("text")
    if let problem = TextError.problem(with: text) { throw .unsuitable(problem.description) }
    guard !TextError.isInvisible(text) else { throw .unsuitable("the text has nothing to see") }
    style = try LetteringStyle(arguments)
    (size, width) = (arguments.number("size"), arguments.optionalNumber("width") ?? .infinity)
    let lettering = try Lettering(text, style: style, size: size, width: width)
    let map = lettering.map(left: 0, top: 0)
    let box = lettering.boxRegion(map)
    let ink = lettering.inkRegion(map)
    let (left, top) = (min(box.left, ink.left), min(box.top, ink.top))
    region = Region(
      left: left, top: top, width: max(1, max(box.right, ink.right) - left),
      height: max(1, max(box.bottom, ink.bottom) - top))
    self.map = map
    _ = try PictureLayout.checked(width: region.width, height: region.height, format: .rgba8)
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    PictureLayout(width: region.width, height: region.height, format: .rgba8)
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int { region.width * region.height * 12 }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let lettering = try PictureError.ofOperation { () throws(OperationError) in
      try Lettering(text, style: style, size: size, width: width)
    }
    for character in lettering.missing { context.note(character.description) }
    let overlay = try lettering.overlay(map, region: region, context)
    let source = BandSelection(from: overlay.layout.format, to: .rgba8).open(BufferSource(overlay), context)
    guard style.opacity < 1 else { return source }
    return FadedSource(source, Float(style.opacity))
  }
}

/// Rows whose alpha is multiplied by a factor.
private final class FadedSource: RowSource {
  let layout: PictureLayout
  private let source: any RowSource
  private let factor: Float

  /// - Parameter source: rows in the format rgba8.
  init(_ source: any RowSource, _ factor: Float) {
    (layout, self.source, self.factor) = (source.layout, source, factor)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    try source.read(count, into: destination, stride: stride)
    for y in 0..<count {
      let row = (destination + y * stride).assumingMemoryBound(to: UInt8.self)
      for x in 0..<layout.width { row[4 * x + 3] = UInt8((Float(row[4 * x + 3]) * factor).rounded()) }
    }
  }
}
