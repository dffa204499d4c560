import ImageCore

/// The options of `img.verify`.
public enum VerifyParameters {
  /// The options in the order of help.
  public static let all: [ParameterDescriptor] = [
    ParameterDescriptor("pages", .integer(1...1_000_000), help: "how many pages there must be"),
    ParameterDescriptor(
      "size", .text,
      help: "the size of every page, either way round: 'a4', '10x15', '210mm x 297mm'"),
    ParameterDescriptor(
      "text", .text, help: "a text that must be there, or a list of texts, in their order"),
    ParameterDescriptor(
      "dpi", .number(1...100_000), unit: "pixels per inch",
      help: "resolution that every picture must have at least",
      synonyms: ["resolution", "ppi", "density", "min_dpi"]),
    ParameterDescriptor(
      "fonts", .choice(["any", "embedded"]), default: .text("any"),
      help: "whether the 14 standard fonts must be embedded, too"),
    ParameterDescriptor(
      "against", .text,
      help: "a folder: every picture must be one of its files, or made of one"),
    ParameterDescriptor(
      "sealed", .boolean, default: .boolean(false),
      help: "whether it must say itself what its pages should show, as imghost's books do"),
    ParameterDescriptor("password", .text, help: "what opens an encrypted document"),
  ]
}
