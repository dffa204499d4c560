import ImageCore
import Synchronization
import TextShaping

/// The style of a text on a picture, from the arguments in the script.
struct LetteringStyle: Sendable {
  let font: String
  let colour: Colour
  let alignment: TextAlignment
  let lineSpacing: Double
  let language: String
  let opacity: Double
  /// The rotation in degrees, clockwise.
  let angle: Double
  let outline: Colour?
  let shadow: Colour?
  let shadowOpacity: Double
  let background: Colour?
  private let outlineWidth: Double?
  private let shadowOffset: Double?
  private let shadowBlur: Double?
  private let padding: Double?

  /// The parameters that `text` and `img.text` share.
  static let parameters: [ParameterDescriptor] = [
    .init(
      "font", .text, default: .text(TextStyle.defaultFont),
      help: "family and style of the font, such as 'Noto Serif Bold'; other fonts supply missing letters",
      synonyms: ["family", "typeface"]),
    .init("colour", .colour, default: .colour(.white), help: "colour of the letters", synonyms: ["color", "fill"]),
    .init(
      "alignment", .choice(TextAlignment.allCases.filter { $0 != .end }.map(\.rawValue)), default: .text("start"),
      help: "side to which the lines are aligned; start is the side where the script begins",
      synonyms: ["align", "justify"]),
    .init(
      "line_spacing", .number(0.5...5), default: .number(1), help: "factor for the distance of the lines",
      synonyms: ["leading", "spacing"]),
    .init(
      "language", .text, default: .text(""),
      help: "language such as 'ja', which selects Chinese, Japanese or Korean forms", synonyms: ["lang"]),
    .init("opacity", .number(0...1), default: .number(1), help: "factor for the alpha of the whole"),
    .init(
      "angle", .number(-360...360), default: .number(0), unit: "degrees", help: "clockwise rotation",
      synonyms: ["rotate", "rotation"]),
    .init("outline", .colour, help: "colour of a line around the letters; by default none", synonyms: ["stroke"]),
    .init(
      "outline_width", .number(0...200), unit: "px", help: "width of that line; by default a 16th of the size",
      synonyms: ["stroke_width"]),
    .init("shadow", .colour, help: "colour of a blurred shadow, such as 'black'; by default none"),
    .init(
      "shadow_offset", .number(-1_000...1_000), unit: "px",
      help: "distance of the shadow to the right and down; by default a 16th of the size"),
    .init(
      "shadow_blur", .number(0...200), unit: "px",
      help: "standard deviation of the shadow's blur; by default a 16th of the size"),
    .init("shadow_opacity", .number(0...1), default: .number(0.5), help: "factor for the alpha of the shadow"),
    .init("background", .colour, help: "colour of a box behind the text; by default none", synonyms: ["box"]),
    .init(
      "padding", .number(0...10_000), unit: "px",
      help: "width of that box around the text; by default a third of the size"),
  ]

  /// - Throws: `unsuitable` if options contradict each other, if the font or the language is wrong, or if this machine
  ///   cannot draw text.
  init(_ arguments: Arguments) throws(OperationError) {
    font = arguments.text("font")
    colour = arguments.colour("colour")
    alignment = TextAlignment(rawValue: arguments.text("alignment"))!
    lineSpacing = arguments.number("line_spacing")
    language = arguments.text("language")
    opacity = arguments.number("opacity")
    angle = arguments.number("angle")
    outline = arguments.optionalColour("outline")
    outlineWidth = arguments.optionalNumber("outline_width")
    shadow = arguments.optionalColour("shadow")
    shadowOffset = arguments.optionalNumber("shadow_offset")
    shadowBlur = arguments.optionalNumber("shadow_blur")
    shadowOpacity = arguments.number("shadow_opacity")
    background = arguments.optionalColour("background")
    padding = arguments.optionalNumber("padding")
    for (option, owner) in [
      ("outline_width", "outline"), ("shadow_offset", "shadow"), ("shadow_blur", "shadow"), ("padding", "background"),
    ] where arguments.has(option) && !arguments.has(owner) {
      throw .unsuitable("'\(option)' is given, but no '\(owner)'")
    }
    try check()
  }

  private func check() throws(OperationError) {
    guard !font.allSatisfy(\.isWhitespace) else {
      throw .unsuitable("'font' is empty; leave it out, or name a family such as 'Serif'")
    }
    if let control = TextError.firstControl(in: font) {
      throw .unsuitable("'font' has the control character \(TextError.codePoint(control.value))")
    }
    guard language.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), language.utf8.count < 40 else {
      throw .unsuitable("'language' cannot be '\(TextError.excerpt(of: language))'; write it as 'en' or 'zh-Hant'")
    }
    do throws(TextError) {
      if let problem = TextLayouter.problem { throw problem }
      guard font != TextStyle.defaultFont else { return }
      let problem = try LayouterPool.borrow { (layouter) throws(TextError) in layouter.problem(withFont: font) }
      if let problem { throw problem }
    } catch {
      throw .unsuitable(error.description)
    }
  }

  /// All colours in use.
  var colours: [Colour] { [colour] + [outline, shadow, background].compactMap(\.self) }

  func outlineWidth(_ size: Double) -> Double { outline == nil ? 0 : outlineWidth ?? size / 16 }
  func shadowOffset(_ size: Double) -> Double { shadowOffset ?? size / 16 }
  func shadowBlur(_ size: Double) -> Double { shadowBlur ?? size / 16 }
  func padding(_ size: Double) -> Double { background == nil ? 0 : padding ?? size / 3 }

  /// The maximum product of the font size in pixels, the number of bytes of the text, and the line spacing. Pango
  /// measures lengths in 1,024ths of a pixel with 32-bit integers, which must not overflow.
  private static let maximumExtent = 1_000_000.0

  /// Lays out a text in pixels.
  ///
  /// - Parameter width: the width at which lines are wrapped; infinite for lines of any length.
  func block(_ text: String, size: Double, width: Double) throws(OperationError) -> TextBlock {
    guard Double(text.utf8.count + 1) * size * max(1, lineSpacing) <= Self.maximumExtent else {
      throw .unsuitable(
        "a text of \(text.utf8.count) bytes at a size of \(Int(size)) pixels is too large; reduce 'size'")
    }
    var style = TextStyle(font: font, size: size, colour: colour, alignment: alignment, language: language)
    style.lineSpacing = lineSpacing
    do throws(TextError) {
      return try LayouterPool.borrow { (layouter) throws(TextError) in
        try layouter.layout(text, style: style, width: width)
      }
    } catch {
      throw .unsuitable(error.description)
    }
  }
}

/// A pool of layouters, because creating one takes a millisecond. Each is used by one thread at a time.
private enum LayouterPool {
  private static let idle = Mutex<[TextLayouter]>([])

  static func borrow<Result>(_ body: (TextLayouter) throws(TextError) -> Result) throws(TextError) -> Result {
    let known = idle.withLock { $0.popLast() }
    let layouter: TextLayouter
    if let known { layouter = known } else { layouter = try TextLayouter(for: .pictures) }
    defer { idle.withLock { $0.append(layouter) } }
    return try body(layouter)
  }
}
