import ImageCore

/// `thumbnail(width [, height]{ light })`: scales to fit within both sides, and never enlarges.
package struct Thumbnail: ResizeShortForm {
  package static let descriptor = OperationDescriptor(
    name: "thumbnail", family: "resample", summary: "Scale down to fit within a width and a height, never up",
    parameters: [
      side("width", "largest width of the result"),
      side("height", required: false, "largest height of the result; by default the width"),
      LightMixing.parameter,
    ], positional: 2)

  let resize: Resize

  package init(_ arguments: Arguments) throws(OperationError) {
    let width = arguments.integer("width")
    // As in `vips_thumbnail`, a single number is both the largest width and the largest height.
    let height = arguments.optionalInteger("height") ?? width
    var resize = Resize(ResizeTarget(width: .pixels(width), height: .pixels(height), fit: .inside, enlarge: false))
    resize.light = LightMixing(arguments)
    self.resize = resize
  }
}
