import ImageCore

/// `fit(width, height{ kernel, light, enlarge })`: scales to the largest size within both sides, with the same
/// proportions.
package struct Fit: ResizeShortForm {
  package static let descriptor = OperationDescriptor(
    name: "fit", family: "resample", summary: "Scale to fit within a width and a height",
    parameters: [
      side("width", "largest width of the result"), side("height", "largest height of the result"),
      Resize.kernelParameter, LightMixing.parameter, Resize.enlargeParameter,
    ], positional: 2)

  let resize: Resize

  package init(_ arguments: Arguments) throws(OperationError) {
    let target = ResizeTarget(
      width: .pixels(arguments.integer("width")), height: .pixels(arguments.integer("height")), fit: .inside,
      enlarge: arguments.boolean("enlarge"))
    resize = Resize(target, arguments)
  }
}
