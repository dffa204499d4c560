import ImageCore

/// Crops a picture to a rectangle. Rows above the rectangle are read and discarded. Of the rows below it, at most the
/// rest of the last strip is read.
package struct Crop: DescribedOperation {
  private let region: Region

  private static let side = ParameterKind.integer(1...PictureLayout.maximumSide)
  private static let offset = ParameterKind.integer(0...PictureLayout.maximumSide)

  package static let descriptor = OperationDescriptor(
    name: "crop", family: "conversion", summary: "Cut out a rectangle",
    parameters: [
      .init("left", offset, required: true, unit: "px", help: "columns to remove on the left"),
      .init("top", offset, required: true, unit: "px", help: "rows to remove above"),
      .init("width", side, required: true, unit: "px", help: "columns to keep"),
      .init("height", side, required: true, unit: "px", help: "rows to keep"),
    ], positional: 4)

  /// Scales the positions of both edges instead of the size, so a crop that ends at the picture's edge still ends
  /// there.
  package static func arguments(_ arguments: Arguments, scaledBy scale: Double) -> Arguments? {
    func edge(_ pixels: Int) -> Int { Int((Double(pixels) * scale).rounded()) }
    let (left, top) = (arguments.integer("left"), arguments.integer("top"))
    let (right, bottom) = (edge(left + arguments.integer("width")), edge(top + arguments.integer("height")))
    return arguments.with("left", edge(left)).with("top", edge(top))
      .with("width", max(1, right - edge(left))).with("height", max(1, bottom - edge(top)))
  }

  package init(_ arguments: Arguments) {
    self.init(
      Region(
        left: arguments.integer("left"), top: arguments.integer("top"),
        width: arguments.integer("width"), height: arguments.integer("height")))
  }

  /// - Parameter region: the rectangle to keep, in pixels of the input.
  package init(_ region: Region) { self.region = region }

  package var cutRegion: Region? { region }

  package var acceptsCMYK: Bool { true }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    let input = inputs[0]
    guard region.isInside(width: input.width, height: input.height) else {
      throw .regionOutside(region, width: input.width, height: input.height)
    }
    return input.with(width: region.width, height: region.height)
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    CropSource(inputs[0], region, context)
  }
}

private final class CropSource: RowSource {
  let layout: PictureLayout
  private let reader: StripReader
  private let region: Region
  private var next = 0

  init(_ upstream: any RowSource, _ region: Region, _ context: OperationContext) {
    layout = upstream.layout.with(width: region.width, height: region.height)
    reader = StripReader(upstream, context)
    self.region = region
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    let leftBytes = region.left * layout.format.bytesPerPixel
    for row in 0..<count {
      let source = try reader.row(region.top + next + row)
      (destination + row * stride).copyMemory(from: source + leftBytes, byteCount: layout.rowByteCount)
    }
    next += count
  }
}
