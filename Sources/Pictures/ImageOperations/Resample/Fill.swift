import ImageCore
import ImageKernels

/// `fill(width, height{ position, kernel })`: fills both sides and cuts off what stands over.
public struct Fill: ResizeShortForm {
  public static let descriptor = OperationDescriptor(
    name: "fill", family: "resample",
    summary: "Scale to fill a width and a height, cut off the rest",
    parameters: [
      side("width", "Width of the result"),
      side("height", "Height of the result"),
      Resize.positionParameter,
      Resize.kernelParameter,
    ], positional: 2)

  let resize: Resize

  public init(_ arguments: Arguments) throws(OperationError) {
    var resize = Resize(
      width: arguments.integer("width"), height: arguments.integer("height"))
    resize.placement = CropPosition(name: arguments.text("position"))
    resize.kernel = ResampleKernel(rawValue: arguments.text("kernel")) ?? .lanczos3
    self.resize = resize
  }
}
