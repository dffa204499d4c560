import ImageCore

/// The options of `book` that describe the PDF.
package enum BookParameters {
  /// The options in the order of the help.
  package static let all: [ParameterDescriptor] = OptionScope.withLayouts(
    [
      ParameterDescriptor(
        "paper", .text, default: .text("picture"),
        help: "page size: 'picture', a name ('a4', 'letter', '10x15'), or a size ('210mm x 297mm')",
        synonyms: ["size", "page_size", "pagesize", "paper_size", "papersize", "format"]),
      ParameterDescriptor(
        "orientation", .choice(PageOrientation.allCases.map(\.rawValue)), default: .text("auto"),
        help: "orientation of the paper; auto follows each picture"),
      ParameterDescriptor(
        "margin", .lengths(1...4), default: .text("0"),
        help:
          "space at the page's edges: one length, two (top and bottom, left and right), or four "
          + "(top, right, bottom, left)",
        synonyms: ["margins", "padding"]),
      ParameterDescriptor(
        "fit", .choice(PageFit.allCases.map(\.rawValue)), default: .text("inside"),
        help:
          "how a picture fills the area inside the margins: inside shows all of it, cover fills the area and "
          + "clips the rest, fill distorts it"
      ).refusing(["outside": "a page clips what sticks out, and that is 'cover'"]),
      ParameterDescriptor(
        "position", .choice(CropPosition.names),
        help:
          "part of a picture that stays when its cell cuts it, named as in 'fill'; by default attention if more than a "
          + "tenth is cut off, else centre"
      ).treating(Gravity.equalNames),
      ParameterDescriptor(
        "dpi", .number(1...100_000), unit: "pixels per inch",
        help:
          "resolution of pages that are as large as their picture; by default the file's, or 96",
        synonyms: ["resolution", "ppi", "density"]),
      ParameterDescriptor(
        "caption_size", .number(1...1_000), default: .number(10), unit: "pt",
        help: "font size of captions"),
      ParameterDescriptor(
        "caption_colour", .colour, default: .colour(.black), help: "colour of captions"),
    ] + TextParameters.all + LayoutParameters.all + DocumentParameters.all)
}
