import ImageCore

/// The options of `book` that concern the PDF.
public enum BookParameters {
  /// In the order help lists them.
  public static let all: [ParameterDescriptor] = OptionScope.described(
    [
      ParameterDescriptor(
        "paper", .text, default: .text("picture"),
        help: "page size: 'picture', a name ('a4', 'letter', '10x15'), or a size ('210mm x 297mm')",
        synonyms: ["size", "page_size", "pagesize", "paper_size", "papersize", "format"]),
      ParameterDescriptor(
        "orientation", .choice(PageOrientation.allCases.map(\.rawValue)), default: .text("auto"),
        help: "which way round the paper lies; auto follows each picture"),
      ParameterDescriptor(
        "margin", .lengths(1...4), default: .text("0"),
        help:
          "free edge: 10 (points), '10mm', '5mm 10mm' (top and bottom, sides), or top, right, bottom, left",
        synonyms: ["margins", "padding"]),
      ParameterDescriptor(
        "fit", .choice(PageFit.allCases.map(\.rawValue)), default: .text("inside"),
        help: "how a picture fills the room inside the margins; cover clips what sticks out, "
          + "fill stretches it out of its proportions"
      ).refusing(["outside": "a page clips what sticks out, and that is 'cover'"]),
      ParameterDescriptor(
        "position", .choice(CropPosition.names),
        help:
          "what a cell keeps of a picture that it cuts, as in fill; attention if not given where that is more than "
          + "a tenth, else centre"),
      ParameterDescriptor(
        "dpi", .number(1...100_000), unit: "pixels per inch",
        help: "resolution of pages sized by their picture; else the file's, else 96",
        synonyms: ["resolution", "ppi", "density"]),
      ParameterDescriptor("background", .colour, help: "colour of the page; none leaves the paper"),
      ParameterDescriptor(
        "caption", .text, default: .text(""),
        help: "template of the text under each picture, such as '{stem}'"),
      ParameterDescriptor(
        "caption_size", .number(1...1_000), default: .number(10), unit: "pt",
        help: "height of the caption's letters"),
      ParameterDescriptor(
        "caption_colour", .colour, default: .colour(.black), help: "colour of the caption"),
    ] + TextParameters.all + LayoutParameters.all + DocumentParameters.all)
}
