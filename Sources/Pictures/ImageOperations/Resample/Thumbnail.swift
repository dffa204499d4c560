import ImageCore

/// `thumbnail(width [, height])`: fits within the sides, never enlarging.
public struct Thumbnail: ResizeShortForm {
  public static let descriptor = OperationDescriptor(
    name: "thumbnail", family: "resample",
    summary: "Scale down to fit within a width and a height, never up",
    parameters: [
      side("width", "The most width of the result"),
      side("height", required: false, "The most height of the result; left out, as the width"),
    ], positional: 2)

  let resize: Resize

  public init(_ arguments: Arguments) throws(OperationError) {
    let width = arguments.integer("width")
    // As vips_thumbnail: one size is that of a square box.
    var resize = Resize(width: width, height: arguments.optionalInteger("height") ?? width)
    resize.fit = .inside
    resize.enlarge = false
    self.resize = resize
  }
}
