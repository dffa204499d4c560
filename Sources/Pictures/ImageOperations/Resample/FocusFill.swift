import ImageCore

/// The `resize` of a picture in a designed book, for which the design has already chosen the visible part.
package struct FocusFill: ResizeShortForm {
  package static let descriptor = OperationDescriptor(
    name: "resize", family: "resample", summary: "Scale and cut a picture around a place",
    parameters: [
      side("width", "width of the result"), side("height", "height of the result"),
      ParameterDescriptor(
        "x", .number(0...1), required: true, help: "share of the columns cut off that lie left of what stays"),
      ParameterDescriptor(
        "y", .number(0...1), required: true, help: "share of the rows cut off that lie above what stays"),
    ])

  let resize: Resize

  package init(_ arguments: Arguments) {
    resize = Resize(
      ResizeTarget(
        width: .pixels(arguments.integer("width")), height: .pixels(arguments.integer("height")), fit: .cover,
        placement: .focus(CropFocus(x: arguments.number("x"), y: arguments.number("y")))))
  }
}
