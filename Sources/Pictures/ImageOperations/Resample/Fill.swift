import ImageCore

/// `fill(width, height{ position, kernel, light })`: scales to fill both sides and crops the rest.
package struct Fill: ResizeShortForm {
  package static let descriptor = OperationDescriptor(
    name: "fill", family: "resample",
    summary: "Scale to fill a width and a height, and crop the rest",
    parameters: [
      side("width", "width of the result"),
      side("height", "height of the result"),
      Resize.positionParameter,
      Resize.kernelParameter,
      LightMixing.parameter,
    ], positional: 2, role: .fills)

  let resize: Resize

  package init(_ arguments: Arguments) throws(OperationError) {
    let target = ResizeTarget(
      width: .pixels(arguments.integer("width")), height: .pixels(arguments.integer("height")),
      placement: CropPosition(name: arguments.text("position")))
    resize = Resize(target, arguments)
  }
}
