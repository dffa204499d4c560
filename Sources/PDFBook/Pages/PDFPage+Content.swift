import ImageCore

extension PDFPage {
  /// The page's content stream (PDF 32000-1:2008, 7.8.2). Pictures are called P0, P1, …, the font F.
  func content() throws(PDFError) -> String {
    let unit = size.userUnit
    var text = ""
    if let background {
      let page = PDFNumber.text([size.width / unit, size.height / unit])
      text += "\(Self.fill(background))0 0 \(page) re f\n"
    }
    for (index, placement) in placements.enumerated() {
      text += "q"
      if let clip = placement.clip {
        let box = [clip.left, clip.bottom, clip.width, clip.height].map { $0 / unit }
        text += " \(PDFNumber.text(box)) re W n"
      }
      let matrix = PageMatrix(placing: placement.orientation, in: placement.rectangle)
      text += " \(matrix.text(unit: unit)) cm /P\(index) Do Q\n"
    }
    for caption in captions { text += try caption.content(unit: unit) }
    return text
  }

  /// Sets the fill colour.
  static func fill(_ colour: Colour) -> String {
    if colour.red == colour.green && colour.green == colour.blue {
      return PDFNumber.text(colour.red) + " g "
    }
    return PDFNumber.text([colour.red, colour.green, colour.blue]) + " rg "
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
