import ImageCore

/// The options that say what a book's texts look like: `caption_font`, `header_size` and their like.
public enum TextParameters {
  /// Lines at the edges of pages.
  public static let runningLines = ["header", "footer", "page_number"]

  /// Texts that are no templates: what they say is about no single picture.
  public static let wholeBook = ["title_page", "front_title", "spine_text"]

  /// The texts that a script may give as a table: the options above them begin with these names.
  public static let names = wholeBook + ["caption"] + runningLines

  /// In the order help lists them; `caption_size` and `caption_colour` are among `BookParameters.all`.
  public static let all: [ParameterDescriptor] =
    common("caption") + [
      ParameterDescriptor(
        "caption_align", .choice(TextAlignment.allCases.map(\.rawValue)), default: .text("centre"),
        help: "how the caption's lines lie; start and end follow the letters' direction"),
      ParameterDescriptor(
        "caption_position", .choice(CaptionPosition.allCases.map(\.rawValue)),
        default: .text("below"),
        help: "where captions stand; over is on the picture, at its lower edge"),
      ParameterDescriptor(
        "caption_background", .colour, default: .colour(.white),
        help: "colour behind captions on pictures; 'transparent' for none"),
      ParameterDescriptor(
        "caption_line_spacing", .number(0.5...5), default: .number(1),
        help: "from line to line, as a multiple of the font's own"),
      ParameterDescriptor(
        "caption_lines", .integer(1...1_000), default: .integer(3),
        help: "how many lines a caption may take; 1 if not given in layouts of several pictures"),
      ParameterDescriptor(
        "caption_overflow", .choice(TextOverflow.allCases.map(\.rawValue)),
        default: .text("ellipsis"),
        help:
          "what becomes of a longer one: cut with an ellipsis at its end or middle, an error, or smaller letters; "
          + "the middle if not given for one line in layouts of several pictures"
      ),
    ] + runningLines.flatMap(runningLine) + titlePage + frontTitle + spineText

  private static let frontTitle: [ParameterDescriptor] =
    [
      ParameterDescriptor(
        "front_title", .text,
        help: "text on the front of a cover, over its picture; a line feed begins a paragraph"),
      ParameterDescriptor(
        "front_title_size", .number(1...1_000), default: .number(36), unit: "pt",
        help: "height of its letters"),
      ParameterDescriptor(
        "front_title_colour", .colour, default: .colour(.black), help: "colour of its letters"),
      ParameterDescriptor(
        "front_title_align", .choice(TextAlignment.allCases.map(\.rawValue)),
        default: .text("centre"), help: "how its lines lie"),
      ParameterDescriptor(
        "front_title_position", .choice(TextPosition.allCases.map(\.rawValue)),
        default: .text("middle"), help: "where it stands between the margins"),
      ParameterDescriptor(
        "front_title_background", .colour, help: "colour behind it, as large as its lines"),
    ] + common("front_title")

  private static let spineText: [ParameterDescriptor] =
    [
      ParameterDescriptor("spine_text", .text, help: "text along the spine of a cover"),
      ParameterDescriptor(
        "spine_text_size", .number(1...1_000), default: .number(14), unit: "pt",
        help: "height of its letters; smaller where the spine has no room for them"),
      ParameterDescriptor(
        "spine_text_colour", .colour, default: .colour(.black), help: "colour of its letters"),
      ParameterDescriptor(
        "spine_text_background", .colour, help: "colour behind it, over all of the spine"),
      ParameterDescriptor(
        "spine_text_runs", .choice(["down", "up"]), default: .text("down"),
        help: "from top to bottom, as on English books, or from bottom to top"),
    ] + common("spine_text")

  private static let titlePage: [ParameterDescriptor] =
    [
      ParameterDescriptor(
        "title_page", .text,
        help: "text of a page before the first picture's; a line feed begins a paragraph"),
      ParameterDescriptor(
        "title_page_size", .number(1...1_000), default: .number(28), unit: "pt",
        help: "height of its letters"),
      ParameterDescriptor(
        "title_page_colour", .colour, default: .colour(.black), help: "colour of its letters"),
      ParameterDescriptor(
        "title_page_align", .choice(TextAlignment.allCases.map(\.rawValue)),
        default: .text("centre"), help: "how its lines lie"),
    ] + common("title_page")

  private static func common(_ name: String) -> [ParameterDescriptor] {
    [
      ParameterDescriptor(
        "\(name)_font", .text, default: .text(TextStyle.defaultFont),
        help: "family and style of its letters, such as 'Noto Serif Italic'"),
      ParameterDescriptor(
        "\(name)_direction", .choice(TextDirection.allCases.map(\.rawValue)),
        default: .text("auto"), help: "which way it runs; auto is as its first letter does"),
      ParameterDescriptor(
        "\(name)_language", .text, default: .text(""),
        help: "BCP 47, such as 'ja': tells Chinese, Japanese and Korean forms apart"),
    ]
  }

  private static func runningLine(_ name: String) -> [ParameterDescriptor] {
    let position: RunningPosition =
      switch name {
      case "footer": .left
      default: .centre
      }
    return [
      ParameterDescriptor(
        "\(name)_size", .number(1...1_000), default: .number(9), unit: "pt",
        help: "height of its letters"),
      ParameterDescriptor(
        "\(name)_colour", .colour, default: .colour(.black), help: "colour of its letters"),
      ParameterDescriptor(
        "\(name)_align", .choice(RunningPosition.allCases.map(\.rawValue)),
        default: .text(position.rawValue),
        help: "where it stands; outside is right on odd pages and left on even ones"),
      ParameterDescriptor(
        "\(name)_background", .colour, default: .colour(.white),
        help: "colour behind it on pictures that bleed; 'transparent' for none"),
    ] + common(name)
  }

  /// Options that are given for a text that is not.
  public static func strays(in arguments: Arguments) -> [(option: String, text: String)] {
    arguments.given.compactMap { given in
      guard let text = names.first(where: { given.name.hasPrefix($0 + "_") }),
        !names.contains(given.name), !(text == "caption" && arguments.has("captions")),
        (arguments.optionalText(text) ?? "").isEmpty
      else { return nil }
      return (given.name, text)
    }
  }
}

/// Where a running line stands.
public enum RunningPosition: String, Sendable, Hashable, CaseIterable {
  case left
  case centre
  case right
  /// Away from the spine: right on pages that lie on the right, left on the others.
  case outside
  /// At the spine.
  case inside

  /// As it is on a page on this side.
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
  /// The style of a book's captions, from arguments that have been checked.
  public init(captionOf arguments: Arguments) {
    self.init(runningLine: "caption", of: arguments)
    alignment = TextAlignment(rawValue: arguments.text("caption_align"))!
    lineSpacing = arguments.number("caption_line_spacing")
    maximumLines = arguments.integer("caption_lines")
    overflow = TextOverflow(rawValue: arguments.text("caption_overflow"))!
    if arguments.given.contains(where: { $0.name == "caption_overflow" }) {
      cellOverflow = overflow
    }
  }

  /// The style of a title of any number of lines, `title_page` or `front_title`, from arguments that have been
  /// checked.
  public init(title name: String, of arguments: Arguments) {
    self.init(runningLine: name, of: arguments)
    alignment = TextAlignment(rawValue: arguments.text("\(name)_align"))!
    maximumLines = nil
  }

  /// The style of one of `TextParameters.runningLines`: one line, aligned as each page needs it.
  public init(runningLine name: String, of arguments: Arguments) {
    let page = arguments.optionalColour("background")?.onPaper ?? .white
    self.init(
      font: arguments.text("\(name)_font"), size: arguments.number("\(name)_size"),
      colour: arguments.colour("\(name)_colour").over(page) ?? page,
      direction: TextDirection(rawValue: arguments.text("\(name)_direction"))!,
      language: arguments.text("\(name)_language"), maximumLines: 1)
  }
}
