import BookExpectations
import ImageCore

/// One line of text in Helvetica.
package struct Caption: Sendable, Hashable {
  package var text: String
  /// The horizontal centre of the line, in points.
  package var centre: Double
  /// The baseline, in points above the page's lower edge.
  package var baseline: Double
  /// The font size in points.
  package var fontSize: Double
  package var colour: Colour
  /// The index of the caption's picture in the page's placements; nil for none.
  package var placement: Int?

  /// The smallest readable font size, in points.
  package static let smallestSize = 4.0

  package init(_ text: String, centre: Double, baseline: Double, fontSize: Double = 10, colour: Colour = .black) {
    self.text = text
    self.centre = centre
    self.baseline = baseline
    self.fontSize = fontSize
    self.colour = colour
  }
}

extension Caption {
  /// The text and the box of its line, for `imghost-verify`. The box extends from Helvetica's descender to its
  /// ascender.
  var expectation: CaptionExpectation {
    let width = (try? WinAnsi.bytes(text)).map { Helvetica.width($0, size: fontSize) } ?? 0
    return CaptionExpectation(
      text, left: centre - width / 2, bottom: baseline - fontSize * 0.207, width: width, height: fontSize * 0.925)
  }
}

extension Caption {
  /// Returns the text object that draws the line (PDF 32000-1:2008, 9.4).
  func content(unit: Double) throws(PDFError) -> String {
    let bytes = try WinAnsi.bytes(text)
    let left = centre - Helvetica.width(bytes, size: fontSize) / 2
    let origin = PDFNumber.text([left / unit, baseline / unit])
    return "\(PDFPage.fill(colour))BT /F \(PDFNumber.text(fontSize / unit)) Tf \(origin) Td "
      + "\(PDFString.literal(bytes)) Tj ET\n"
  }
}

extension Caption {
  /// Shortens a line to a width. The font shrinks first, but not below three quarters of its size or `smallestSize`,
  /// whichever is larger. If that is not enough, the middle of the text is left out.
  static func shortened(_ text: String, size: Double, room: Double) throws(PDFError) -> (text: String, size: Double) {
    let smallest = min(size, max(smallestSize, size * 0.75))
    let width = Helvetica.width(try WinAnsi.bytes(text), size: 1)
    if width * smallest <= room { return (text, min(size, room / max(width, 0.001))) }
    var letters = Array(text)
    // The middle of a long text is removed at once, because the loop removes only one letter at a time.
    if letters.count > 1_000 { letters = letters.prefix(500) + letters.suffix(500) }
    while letters.count > 2 {
      letters.remove(at: letters.count / 2)
      let half = (letters.count + 1) / 2
      let short = String(letters[..<half]) + "…" + String(letters[half...])
      if Helvetica.width(try WinAnsi.bytes(short), size: smallest) <= room { return (short, smallest) }
    }
    return ("…", smallest)
  }
}

/// The position of a picture's caption.
package enum CaptionPosition: String, Sendable, Hashable, CaseIterable {
  /// Below the picture, in a strip of its own.
  case below
  case above
  /// On the picture, at its lower edge.
  case over
}

/// The position and look of captions.
package struct CaptionOptions: Sendable, Hashable {
  /// The font size in points.
  package var size = 10.0
  package var colour = Colour.black
  package var position = CaptionPosition.below
  /// The colour behind captions that lie on pictures; nil for none.
  package var background: Colour?
  /// Whether captions on pictures have a soft veil behind them instead of a background.
  package var hasScrim = false

  package init() {}

  /// Creates options from arguments that `BookParameters.all` has checked.
  init(_ arguments: Arguments) {
    size = arguments.number("caption_size")
    colour = arguments.colour("caption_colour").onPaper ?? .white
    position = CaptionPosition(rawValue: arguments.text("caption_position"))!
    background = arguments.optionalColour("caption_background")?.visible
    hasScrim = Self.hasScrim(arguments)
  }

  private static func hasScrim(_ arguments: Arguments) -> Bool {
    arguments.text("caption_position") == CaptionPosition.over.rawValue && !arguments.has("caption_background")
  }

  /// Returns defaults that depend on other options: captions on pictures without a background are white on a dark veil.
  package static func defaults(for arguments: Arguments) -> [(name: String, value: ParameterValue)] {
    hasScrim(arguments) ? [("caption_colour", .colour(.white))] : []
  }
}
