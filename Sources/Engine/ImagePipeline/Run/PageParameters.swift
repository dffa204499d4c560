import ImageCore

/// The options of `img.page`, beside its pictures and slots.
public enum PageParameters {
  /// The options in the order of help.
  public static let all: [ParameterDescriptor] = [
    ParameterDescriptor("title", .text, help: "title at the top of the page, or in its middle if it has nothing else"),
    ParameterDescriptor(
      "text", .text, help: "paragraphs with a blank line between them, on a page without pictures"),
    ParameterDescriptor(
      "background", .colour, help: "colour of the page; by default the book's", synonyms: ["color", "colour", "bg"]),
    ParameterDescriptor(
      "template", .text, help: "name of a template for the pictures, as 'imghost ops templates' lists them"),
    ParameterDescriptor(
      "spread", .boolean, default: .boolean(false), help: "whether the slots divide two facing pages"),
  ]
}
