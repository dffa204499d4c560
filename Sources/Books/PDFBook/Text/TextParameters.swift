import ImageCore
import TextShaping

/// The options for the appearance of a book's texts, such as `caption_font` and `header_size`.
package enum TextParameters {
  /// The texts at the edges of pages.
  package static let runningLines = ["header", "footer", "page_number", "section_heading"]

  /// The texts that cannot have template fields, because they do not belong to a picture.
  package static let wholeBook = ["title_page", "front_title", "spine_text"]

  /// The texts that a script may give as a table. The names of their options begin with these names.
  package static let names = wholeBook + ["caption"] + runningLines

  /// The options in the order of the help. `caption_size` and `caption_colour` are in `BookParameters.all`.
  package static let all: [ParameterDescriptor] =
    common("caption") + [
      ParameterDescriptor(
        "caption_align", .choice(TextAlignment.allCases.map(\.rawValue)), default: .text("centre"),
        help: "alignment of captions; start and end follow the direction of the text"),
      ParameterDescriptor(
        "caption_position", .choice(CaptionPosition.allCases.map(\.rawValue)),
        default: .text("below"),
        help: "position of captions; over is on the picture, at its lower edge"),
      ParameterDescriptor(
        "caption_background", .colour,
        help:
          "colour of a box behind captions on pictures, 'transparent' for none; by default a soft veil, on which white "
          + "or another colour of captions can be read"),
      ParameterDescriptor(
        "caption_line_spacing", .number(0.5...5), default: .number(1),
        help: "line spacing of captions, as a multiple of the font's own"),
      ParameterDescriptor(
        "caption_lines", .integer(1...1_000), default: .integer(3),
        help:
          "maximum number of lines of a caption; by default 1 in layouts with several pictures on a page"
      ),
      ParameterDescriptor(
        "caption_overflow", .choice(TextOverflow.allCases.map(\.rawValue)), default: .text("ellipsis"),
        help:
          "treatment of longer captions: an ellipsis at the end or in the middle, an error, or a smaller font; by "
          + "default middle for one line in layouts with several pictures on a page"
      ),
    ] + runningLines.flatMap(runningLine) + titlePage + frontTitle + spineText

  private static let frontTitle: [ParameterDescriptor] =
    [
      ParameterDescriptor(
        "front_title", .text,
        help: "title on the front of a cover; a line feed starts a new paragraph"),
      ParameterDescriptor(
        "front_title_size", .number(1...1_000), default: .number(36), unit: "pt",
        help: "font size of the title"),
      ParameterDescriptor(
        "front_title_colour", .colour,
        help: "colour of the title; by default white on the picture, and black or white on paper, as can be read"),
      ParameterDescriptor(
        "front_title_align", .choice(TextAlignment.allCases.map(\.rawValue)),
        default: .text("centre"),
        help: "alignment of the title; start and end follow the direction of the text"),
      ParameterDescriptor(
        "front_title_position", .choice(TextPosition.allCases.map(\.rawValue)),
        help: "vertical position of the title; by default where least of the picture draws the eye"),
      ParameterDescriptor(
        "front_title_background", .colour,
        help:
          "colour behind the lines of the title, 'transparent' for none; by default a soft veil where it lies on a "
          + "picture"),
    ] + common("front_title")

  private static let spineText: [ParameterDescriptor] =
    [
      ParameterDescriptor("spine_text", .text, help: "text along the spine of a cover"),
      ParameterDescriptor(
        "spine_text_size", .number(1...1_000), default: .number(14), unit: "pt",
        help: "font size of the spine text; smaller on a thin spine"),
      ParameterDescriptor(
        "spine_text_colour", .colour,
        help: "colour of the spine text; by default black, or white on a dark colour of the spine"),
      ParameterDescriptor(
        "spine_text_background", .colour,
        help: "colour of the whole spine; by default one of the front, between two pictures that reach to it"),
      ParameterDescriptor(
        "spine_text_runs", .choice(["down", "up"]), default: .text("down"),
        help:
          "direction of the spine text: from top to bottom, as on English books, or from bottom to top"
      ),
    ] + common("spine_text")

  private static let titlePage: [ParameterDescriptor] =
    [
      ParameterDescriptor(
        "title_page", .text,
        help:
          "title on a page of its own before the first picture; a line feed starts a new paragraph"),
      ParameterDescriptor(
        "title_page_size", .number(1...1_000), default: .number(28), unit: "pt",
        help: "font size of the title"),
      ParameterDescriptor(
        "title_page_colour", .colour, default: .colour(.black), help: "colour of the title"),
      ParameterDescriptor(
        "title_page_align", .choice(TextAlignment.allCases.map(\.rawValue)),
        default: .text("centre"),
        help: "alignment of the title; start and end follow the direction of the text"),
    ] + common("title_page")

  /// Returns the phrase that describes a text in the help.
  private static func noun(_ name: String) -> String {
    switch name {
    case "title_page", "front_title": "the title"
    case "spine_text": "the spine text"
    case "caption": "captions"
    case "page_number": "page numbers"
    case "section_heading": "headings of groups"
    default: "the \(name)"
    }
  }

  private static func common(_ name: String) -> [ParameterDescriptor] {
    let noun = noun(name)
    return [
      ParameterDescriptor(
        "\(name)_font", .text, default: .text(TextStyle.defaultFont),
        help: "font family and style of \(noun), such as 'Noto Serif Italic'"),
      ParameterDescriptor(
        "\(name)_direction", .choice(TextDirection.allCases.map(\.rawValue)),
        default: .text("auto"), help: "writing direction of \(noun); auto follows the first letter"),
      ParameterDescriptor(
        "\(name)_language", .text, default: .text(""),
        help:
          "language of \(noun) as a BCP 47 tag, such as 'ja'; selects Chinese, Japanese or Korean letter forms"
      ),
    ]
  }

  private static func runningLine(_ name: String) -> [ParameterDescriptor] {
    let position: RunningPosition =
      switch name {
      case "footer", "section_heading": .left
      default: .centre
      }
    let noun = noun(name)
    return [
      ParameterDescriptor(
        "\(name)_size", .number(1...1_000), default: .number(name == "section_heading" ? 18 : 9), unit: "pt",
        help: "font size of \(noun)"),
      ParameterDescriptor(
        "\(name)_colour", .colour, default: .colour(.black), help: "colour of \(noun)"),
      ParameterDescriptor(
        "\(name)_align", .choice(RunningPosition.allCases.map(\.rawValue)), default: .text(position.rawValue),
        help:
          "alignment of \(noun); outside is right on right-hand pages and left on left-hand pages"),
      ParameterDescriptor(
        "\(name)_background", .colour, default: .colour(.white),
        help: "colour behind \(noun) where a picture bleeds; 'transparent' for none"),
    ] + common(name)
  }

  /// Returns the options that have no effect because the text they describe is missing.
  package static func unusedOptions(in arguments: Arguments) -> [(option: String, text: String)] {
    arguments.given.compactMap { given in
      guard let text = names.first(where: { given.name.hasPrefix($0 + "_") }),
        !names.contains(given.name), !(text == "caption" && arguments.has("captions")),
        (text == "title_page" ? arguments.titlePage : arguments.optionalText(text) ?? "").isEmpty
      else { return nil }
      return (given.name, text)
    }
  }
}

/// The alignment of a running line.
package enum RunningPosition: String, Sendable, Hashable, CaseIterable {
  case left
  case centre
  case right
  /// Away from the spine: right on right-hand pages, left on left-hand pages.
  case outside
  /// At the spine.
  case inside

  /// Returns the alignment on a left-hand or right-hand page.
  func alignment(isOnRight: Bool) -> TextAlignment {
    switch self {
    case .left: .left
    case .centre: .centre
    case .right: .right
    case .outside: isOnRight ? .right : .left
    case .inside: isOnRight ? .left : .right
    }
  }
}

extension TextStyle {
  /// Creates the style of a book's captions from arguments that have been checked.
  package init(captionOf arguments: Arguments) {
    self.init(runningLine: "caption", of: arguments)
    alignment = TextAlignment(rawValue: arguments.text("caption_align"))!
    lineSpacing = arguments.number("caption_line_spacing")
    if let step = arguments.optionalNumber(BaselineGrid.argument),
      !arguments.isGiven("caption_line_spacing")
    {
      leading = BaselineGrid.leading(ofSize: size, step: step)
    }
    maximumLines = arguments.integer("caption_lines")
    overflow = TextOverflow(rawValue: arguments.text("caption_overflow"))!
    if arguments.isGiven("caption_overflow") { cellOverflow = overflow }
  }

  /// Creates the style of the title `title_page` or `front_title` from arguments that have been checked. A title may
  /// have any number of lines.
  package init(title name: String, of arguments: Arguments) {
    self.init(runningLine: name, of: arguments)
    alignment = TextAlignment(rawValue: arguments.text("\(name)_align"))!
    maximumLines = nil
  }

  /// Creates the style of a text of one line, such as those of `TextParameters.runningLines`. Its alignment is set
  /// later.
  package init(runningLine name: String, of arguments: Arguments) {
    let page = arguments.optionalColour("background")?.onPaper ?? .white
    self.init(
      font: arguments.text("\(name)_font"), size: arguments.number("\(name)_size"),
      colour: arguments.optionalColour("\(name)_colour").map { $0.over(page) ?? page } ?? .black,
      language: arguments.text("\(name)_language"), maximumLines: 1)
    direction = TextDirection(rawValue: arguments.text("\(name)_direction"))!
  }
}

// MARK: - Checking

extension TextParameters {
  /// Returns mistakes in outline titles and in the names of fonts and languages. The checks do not depend on the
  /// installed fonts.
  package static func problems(in arguments: Arguments) -> [OptionProblem] {
    var problems: [OptionProblem] = []
    for name in names {
      let font = arguments.text("\(name)_font")
      if font.allSatisfy(\.isWhitespace) {
        problems.add("\(name)_font", "is empty; leave it out, or name a family such as 'Serif'")
      } else if let control = TextError.firstControl(in: font) {
        problems.add(
          "\(name)_font",
          "is '\(TextError.excerpt(of: font))', with the control character "
            + "\(TextError.codePoint(control.value)); write family and style in one line: 'Noto Serif Italic'"
        )
      }
      let language = arguments.text("\(name)_language")
      if !language.isEmpty, !LanguageTag.isWellFormed(language) {
        problems.add("\(name)_language", LanguageTag.advice(against: language))
      }
    }
    if let outline = arguments.optionalText("outline"), let control = TextError.firstControl(in: outline) {
      problems.add("outline", because: TextError.control(control.value, text: outline).description)
    }
    return problems
  }
}

extension LanguageTag {
  /// Returns the end of a message about a tag that is not well-formed.
  static func advice(against text: String) -> String {
    "cannot be '\(TextError.excerpt(of: text))'; write a language as BCP 47 does: 'en', 'en-GB', 'zh-Hant'"
  }
}
