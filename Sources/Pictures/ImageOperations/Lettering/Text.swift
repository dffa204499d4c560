import ImageCore
import TextShaping
import VectorShapes

/// Draws a text onto a picture, in any script for which a font is installed.
///
/// Pango computes the layout, as for books. Outlines are filled with exact coverage and without hinting, so a text
/// looks the same at every size. The picture is streamed; only the pixels of the text are kept in memory. Colours are
/// sRGB, and are converted to the picture's colour space.
package struct Text: DescribedOperation, ProfiledOperation {
  private let text: String
  private let notes: [String]
  private let style: LetteringStyle
  private let size: PictureShare
  private let margin: PictureShare
  private let width: PictureShare?
  private let place: (left: Int, top: Int)?
  private let gravity: Gravity
  package var profiles: (@Sendable (Int) -> [UInt8])?

  private static let offset = ParameterKind.integer(-PictureLayout.maximumSide...PictureLayout.maximumSide)
  static let sizes = 1.0...2_000

  package static let descriptor = OperationDescriptor(
    name: "text", family: "arithmetic", summary: "Write a text on the picture",
    parameters: [
      .init(
        "text", .text, required: true,
        help: "the text; {stem}, {name}, {exif.Artist|none} and other fields are those of the picture"),
      .init(
        "size", .numberOrShare(sizes), default: .text("5%"), unit: "px", help: "size of the font",
        synonyms: ["font_size", "fontsize", "pointsize"]),
      .init(
        "position", .choice(Gravity.names), default: .text("centre"),
        help: "place if left and top are not given, also called gravity", synonyms: ["place"], alias: "gravity"
      ).treating(Gravity.equalNames),
      .init("left", offset, unit: "px", help: "column of the left edge; may lie outside the picture", synonyms: ["x"]),
      .init("top", offset, unit: "px", help: "row of the top edge; may lie outside the picture", synonyms: ["y"]),
      .init(
        "margin", .numberOrShare(0...100_000), default: .text("3%"), unit: "px",
        help: "least distance from the picture's edges"),
      .init(
        "width", .numberOrShare(1...100_000), unit: "px",
        help: "width at which lines are broken; by default that of the picture without the margins",
        synonyms: ["max_width", "wrap"]),
    ] + LetteringStyle.parameters, positional: 1)

  package init(_ arguments: Arguments) throws(OperationError) {
    text = arguments.text("text")
    notes = []
    size = arguments.share("size")!
    margin = arguments.share("margin")!
    width = arguments.share("width")
    let (left, top) = (arguments.optionalInteger("left"), arguments.optionalInteger("top"))
    if left != nil || top != nil {
      guard !arguments.isGiven("position") else {
        throw .unsuitable("'position' cannot be given together with 'left' or 'top'")
      }
      place = (left ?? 0, top ?? 0)
    } else {
      place = nil
    }
    gravity = Gravity(name: arguments.text("position")) ?? .centre
    if let problem = TextError.problem(with: text) { throw .unsuitable(problem.description) }
    style = try LetteringStyle(arguments)
  }

  private init(_ other: Text, _ text: String, _ notes: [String]) {
    self.text = text
    self.notes = notes
    (style, size, margin, width) = (other.style, other.size, other.margin, other.width)
    (place, gravity) = (other.place, other.gravity)
  }

  package var template: String? { text }

  package func filled(with text: String, notes: [String]) -> any PictureOperation {
    let cleaned = CleanedText([text])
    return Text(self, cleaned.parts[0], notes + cleaned.changes)
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0].with(format: format(of: inputs[0]))
  }

  /// Estimates the memory from the length of the text, because the layout is only computed by `open`.
  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    let picture = inputs[0]
    let size = size.pixels(on: picture)
    let wide = lineWidth(on: picture)
    let length = Double(text.utf8.count) * size
    let lines = (2 * length / wide).rounded(.up) + Double(text.utf8.count { $0 == 0x0a })
    var (across, down) = (min(wide, length) + 4 * size, lines * 2 * size * style.lineSpacing + 4 * size)
    if style.angle != 0 { (across, down) = (across + down, across + down) }
    let area = min(Double(picture.width), across) * min(Double(picture.height), down)
    return Int(area) * 16 + picture.with(format: format(of: picture)).rowByteCount * 256
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let input = inputs[0].layout
    let base = try rows(inputs[0], in: format(of: input), context)
    for note in notes { context.note(note) }
    guard !TextError.isInvisible(text) else { return base }
    let lettering = try PictureError.ofOperation { () throws(OperationError) in
      try Lettering(text, style: style, size: size.pixels(on: input), width: lineWidth(on: input))
    }
    for character in lettering.missing { context.note(character.description) }
    let box = lettering.boxSize
    if place == nil, box.width > Double(input.width) || box.height > Double(input.height) {
      context.note("the text is larger than the picture; a part of it is cut off")
    }
    let corner = corner(of: box, on: input)
    let map = lettering.map(left: corner.left, top: corner.top)
    guard !lettering.isInvisible, let region = lettering.inkRegion(map).clipped(to: input) else { return base }
    let overlay = try lettering.overlay(map, region: region, context)
    let placement = OverlayPlacement(left: region.left, top: region.top)
    let blending = CompositeBlending(mode: .over, opacity: Float(style.opacity), light: .encoded)
    let matched = try matched(BufferSource(overlay), on: base.layout.format, context)
    return CompositeSource(base, overlay: matched, placement: placement, blending, context)
  }

  /// Converts the pixels of the text to the colour space of the picture. If the text has only the colours black and
  /// white, which are the same in all profiles, nothing is converted, and the profile is not read.
  private func matched(_ overlay: any RowSource, on base: PixelFormat, _ context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    guard base.model == .rgb, !style.colours.allSatisfy(\.isBlackOrWhite), let profile = profiles?(0),
      StandardProfile.isOtherRGB(profile)
    else { return overlay }
    let format = overlay.layout.format
    let colours = BandSelection(from: format, to: format.with(model: .rgb)).open(overlay, context)
    return try ToProfile.match(colours, from: [], to: profile, context)
  }

  private func lineWidth(on picture: PictureLayout) -> Double {
    let room = Double(picture.width) - 2 * margin.pixels(on: picture)
    return max(1, (width?.pixels(on: picture) ?? room) - 2 * style.padding(size.pixels(on: picture)))
  }

  private func corner(of box: (width: Double, height: Double), on picture: PictureLayout) -> (left: Double, top: Double)
  {
    if let place { return (Double(place.left), Double(place.top)) }
    let margin = margin.pixels(on: picture)
    func start(_ direction: Int, _ box: Double, _ side: Int) -> Double {
      switch direction {
      case -1: margin
      case 1: Double(side) - margin - box
      default: (Double(side) - box) / 2
      }
    }
    return (start(gravity.x, box.width, picture.width), start(gravity.y, box.height, picture.height))
  }

  private func format(of input: PictureLayout) -> PixelFormat {
    style.colours.reduce(input.format) { $0.holding($1) }
  }
}
