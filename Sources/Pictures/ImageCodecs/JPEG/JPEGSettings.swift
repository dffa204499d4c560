import ImageCore

/// The settings for encoding a JPEG, from the checked options of `save`.
struct JPEGSettings {
  let quality: Int
  let progressive: Bool
  let optimise: Bool
  private let subsampling: String

  init(_ arguments: Arguments) {
    quality = arguments.integer("quality")
    progressive = arguments.boolean("progressive")
    optimise = arguments.boolean("optimise")
    subsampling = arguments.text("subsampling")
  }

  /// The sampling factors of luminance relative to chrominance, across and down.
  ///
  /// `auto` does not subsample chrominance from quality 90 on, as in libvips, because users who request that much do
  /// not want colours to bleed.
  var subsamplingFactors: (Int, Int) {
    switch subsampling {
    case "4:4:4": (1, 1)
    case "4:2:2": (2, 1)
    case "4:2:0": (2, 2)
    default: quality >= 90 ? (1, 1) : (2, 2)
    }
  }

  static let parameters: [ParameterDescriptor] = [
    ParameterDescriptor(
      "quality", .integer(1...100), default: .integer(85),
      help: "quality: 75 is small, 85 is good, 95 is close to the original"),
    ParameterDescriptor(
      "progressive", .boolean, default: .boolean(false),
      help: "whether to store coarse to fine; usually smaller, but holds the whole picture"),
    ParameterDescriptor(
      "subsampling", .choice(["auto", "4:2:0", "4:2:2", "4:4:4"]), default: .text("auto"),
      help: "chroma subsampling; auto is 4:4:4 from quality 90 on, else 4:2:0"),
    ParameterDescriptor(
      "optimise", .boolean, default: .boolean(false),
      help:
        "whether to make Huffman tables for the picture: smaller, but slower, and holds the whole picture"
    ),
  ]
}
