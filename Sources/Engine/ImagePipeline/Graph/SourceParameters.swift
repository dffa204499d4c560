import ImageCore

/// The options of the functions that make pictures from nothing or from files.
package enum SourceParameters {
  /// The options of `open`. `glob` has these and one more.
  package static let open: [ParameterDescriptor] = [
    page,
    ParameterDescriptor(
      "orient", .boolean, default: .boolean(true),
      help: "turn the picture upright as its EXIF orientation says"),
    ParameterDescriptor(
      "sidecar", .boolean, default: .boolean(false),
      help: "whether an XMP file beside the picture, such as 'a.jpg.xmp' or 'a.xmp', replaces its metadata"),
    ParameterDescriptor(
      "damaged", .choice(["refuse", "accept"]), default: .text("refuse"),
      help: "what to do with a truncated or damaged file: refuse it, or take what can be read"),
  ]

  private static let page = ParameterDescriptor(
    "page", .integer(1...1_000_000), default: .integer(1), help: "page or frame of the file, from 1")

  /// The options of `glob`.
  package static let glob =
    open + [
      ParameterDescriptor(
        "skip_unreadable", .boolean, default: .boolean(false),
        help: "leave out files whose headers cannot be read, and say which in one line")
    ]

  /// The options of `pages`, which opens all pages.
  package static let pages = open.filter { $0 != page }

  /// The options of `canvas`. The first two can be positional.
  package static let canvas: [ParameterDescriptor] = [
    ParameterDescriptor(
      "width", .integer(1...PictureLayout.maximumSide), required: true, unit: "px",
      help: "pixels across"),
    ParameterDescriptor(
      "height", .integer(1...PictureLayout.maximumSide), required: true, unit: "px",
      help: "pixels down"),
    ParameterDescriptor(
      "background", .colour, default: .colour(.white), help: "the colour of every pixel",
      synonyms: ["color", "colour", "fill"]),
  ]
}
