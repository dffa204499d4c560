import BookExpectations
import ImageCore

/// The properties that decide the content of a page on which one whole picture is all that is drawn.
struct PlainPlace: Equatable {
  let rectangle: PageRectangle
  let orientation: Orientation
  /// The size of the page's unit in points.
  let unit: Double
}

extension PDFPage {
  /// Returns the page's content stream (PDF 32000-1:2008, 7.8.2). Pictures are named P, P1, P2, …, the
  /// caption font F.
  ///
  /// - Parameters:
  ///   - isTerse: whether a single picture is drawn without saving and restoring the graphics state.
  ///   - marks: receives the marked content of each part.
  func content(isTerse: Bool, marks: inout MarkedContent) throws(PDFError) -> UTF8Text {
    let unit = size.userUnit
    var behind = ""
    if let background {
      let page = PDFNumber.text([size.width / unit, size.height / unit])
      behind += "\(Self.fill(background))0 0 \(page) re f\n"
    }
    for shape in under { behind += shape.content(unit: unit) }
    var text = UTF8Text(capacity: 128)
    text += marks.mark(UTF8Text(behind), as: MarkedContent.Artifact.layout)
    let isAlone =
      isTerse && placements.count == 1 && over.isEmpty && captions.isEmpty
      && texts.isEmpty && deferredTexts == nil
    for (index, placement) in placements.enumerated() {
      var drawing = UTF8Text(capacity: 64)
      if !isAlone { drawing.append("q ") }
      placement.draw(Self.pictureName(index), unit: unit, in: &drawing)
      if !isAlone { drawing.append(" Q\n") }
      text += marks.mark(drawing, as: MarkedContent.Meaning.figure(index))
    }
    if !over.isEmpty {
      text += marks.mark(UTF8Text(over.map { $0.content(unit: unit) }.joined()), as: MarkedContent.Artifact.layout)
    }
    for caption in captions {
      text += marks.mark(
        UTF8Text(try caption.content(unit: unit)),
        as: caption.placement.map { MarkedContent.Meaning.caption($0) } ?? .paragraph)
    }
    return text
  }

  /// The place of the only picture; nil if anything else is drawn on the page.
  var plainPlace: PlainPlace? {
    guard placements.count == 1, background == nil, under.isEmpty, over.isEmpty, captions.isEmpty, texts.isEmpty,
      deferredTexts == nil, placements[0].clip == nil, placements[0].outline == nil
    else { return nil }
    return PlainPlace(
      rectangle: placements[0].rectangle, orientation: placements[0].orientation, unit: size.userUnit)
  }

  /// Returns the resource name of a picture. Nearly every page has one picture, so the first has the shortest name.
  static func pictureName(_ index: Int) -> String { index == 0 ? "P" : "P\(index)" }

  /// Returns the operator that sets the fill colour.
  static func fill(_ colour: Colour) -> String { set(colour, gray: "g", rgb: "rg") }

  /// Returns the operator that sets the stroke colour.
  static func stroke(_ colour: Colour) -> String { set(colour, gray: "G", rgb: "RG") }

  private static func set(_ colour: Colour, gray: String, rgb: String) -> String {
    if colour.red == colour.green && colour.green == colour.blue {
      return "\(PDFNumber.text(colour.red)) \(gray) "
    }
    return "\(PDFNumber.text([colour.red, colour.green, colour.blue])) \(rgb) "
  }
}
