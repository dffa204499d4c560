import BookExpectations
import ImageCore

extension PDFPage {
  /// The page's content stream (PDF 32000-1:2008, 7.8.2). Pictures are called P, P1, P2, …, the font F.
  ///
  /// - Parameters:
  ///   - isTerse: whether a picture that is all there is leaves the graphics state as it is then.
  ///   - marks: get what each part of it is.
  func content(isTerse: Bool, marks: inout PageMarks) throws(PDFError) -> String {
    let unit = size.userUnit
    var behind = ""
    if let background {
      let page = PDFNumber.text([size.width / unit, size.height / unit])
      behind += "\(Self.fill(background))0 0 \(page) re f\n"
    }
    for shape in under { behind += shape.content(unit: unit) }
    var text = marks.mark(behind, as: PageMarks.Artifact.layout)
    let isAlone =
      isTerse && placements.count == 1 && over.isEmpty && captions.isEmpty
      && texts.isEmpty && laterTexts == nil
    for (index, placement) in placements.enumerated() {
      let drawing = placement.drawing(Self.pictureName(index), unit: unit)
      text += marks.mark(
        isAlone ? drawing : "q \(drawing) Q\n", as: PageMarks.Meaning.figure(index))
    }
    text += marks.mark(
      over.map { $0.content(unit: unit) }.joined(), as: PageMarks.Artifact.layout)
    for caption in captions {
      text += marks.mark(
        try caption.content(unit: unit),
        as: caption.placement.map { PageMarks.Meaning.caption($0) } ?? .paragraph)
    }
    return text
  }

  /// What the page calls a picture. Nearly every page has one: its name is the shortest.
  static func pictureName(_ index: Int) -> String { index == 0 ? "P" : "P\(index)" }

  /// Sets the fill colour.
  static func fill(_ colour: Colour) -> String { set(colour, gray: "g", rgb: "rg") }

  /// Sets the colour of lines.
  static func stroke(_ colour: Colour) -> String { set(colour, gray: "G", rgb: "RG") }

  private static func set(_ colour: Colour, gray: String, rgb: String) -> String {
    if colour.red == colour.green && colour.green == colour.blue {
      return "\(PDFNumber.text(colour.red)) \(gray) "
    }
    return "\(PDFNumber.text([colour.red, colour.green, colour.blue])) \(rgb) "
  }
}

extension Placement {
  /// The matrix that draws the whole picture, before any clipping.
  var matrix: AffineMatrix {
    AffineMatrix(
      orientation, left: rectangle.left, bottom: rectangle.bottom, width: rectangle.width,
      height: rectangle.height)
  }

  /// Returns the operators that draw the picture of a name.
  fileprivate func drawing(_ name: String, unit: Double) -> String {
    var text = ""
    if let clip {
      let box = [clip.left, clip.bottom, clip.width, clip.height].map { $0 / unit }
      text += "\(PDFNumber.text(box)) re W n "
    }
    let numbers = [matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f].map { $0 / unit }
    return text + "\(PDFNumber.text(numbers)) cm/\(name) Do"
  }
}

extension Caption {
  /// A text object (PDF 32000-1:2008, 9.4).
  func content(unit: Double) throws(PDFError) -> String {
    let bytes = try WinAnsi.bytes(text)
    let left = centre - Helvetica.width(bytes, size: fontSize) / 2
    let origin = PDFNumber.text([left / unit, baseline / unit])
    return "\(PDFPage.fill(colour))BT /F \(PDFNumber.text(fontSize / unit)) Tf \(origin) Td "
      + "\(PDFString.literal(bytes)) Tj ET\n"
  }
}
