import ImageCore

/// The options of `img.hint`. None has a default: a later hint for a picture changes only what it names.
package enum HintParameters {
  /// The options in the order of help.
  package static let all: [ParameterDescriptor] = [
    ParameterDescriptor(
      "hero", .boolean, help: "whether the picture gets a page to itself, as large as the style allows"),
    ParameterDescriptor(
      "keep", .numbers(4...4),
      help: "the part that no crop may cut: x, y, width and height in shares of the upright picture, or photo.attention"
    ),
    ParameterDescriptor("skip", .boolean, help: "whether the picture stays out of the book"),
    ParameterDescriptor("caption", .text, help: "the text that replaces the caption of the book"),
    ParameterDescriptor("page", .choice(["new"]), help: "'new' if the picture begins a page"),
    ParameterDescriptor("score", .number(0...1), help: "the rank that replaces photo.score"),
  ]

  /// The names of a part's numbers, in the order of a list.
  static let partNames = ["x", "y", "w", "h"]
}
