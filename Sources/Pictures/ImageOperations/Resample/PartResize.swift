import ImageCore
import ImageKernels

/// Scales a part of a picture, whose edges may be inside pixels. It applies a picture's crop and resize to the gain map
/// of that picture.
package struct PartResize: PictureOperation {
  private let part: ShownPart
  private let width: Int
  private let height: Int

  /// - Parameter part: the part to scale. Its rotations must already be applied to the rows.
  package init(_ part: ShownPart, width: Int, height: Int) {
    self.part = part
    self.width = width
    self.height = height
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    try .checked(width: width, height: height, format: inputs[0].format)
  }

  package func open(_ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext)
    throws(PictureError) -> any RowSource
  {
    let rows = inputs[0].layout
    let (across, down) = (Double(rows.width), Double(rows.height))
    let box = ResampleBox(
      left: part.left * across, top: part.top * down, width: (part.right - part.left) * across,
      height: (part.bottom - part.top) * down)
    if part.isWhole, width == rows.width, height == rows.height { return inputs[0] }
    let geometry = ResampleGeometry(
      sourceWidth: rows.width, sourceHeight: rows.height, box: box, targetWidth: width, targetHeight: height)
    // The linear kernel does not overshoot: gains outside the range of their neighbours would be visible as halos.
    let plan = ResamplePlan(geometry, pixels: ResamplePixels(rows.format), kernel: .linear)
    return ResampleSource(inputs[0], plan: plan, context: context)
  }
}

extension ShownPart {
  fileprivate var isWhole: Bool { left == 0 && top == 0 && right == 1 && bottom == 1 }
}
