import ImageCore

/// Rotates and mirrors a picture to make it upright, according to its EXIF orientation. Pixels are moved, but not
/// changed.
package struct AutoOrient: DescribedOperation {
  /// The orientation of the input's pixels; nil until `adapted(to:)` takes it from the input's metadata.
  private let orientation: Orientation?

  package static let descriptor = OperationDescriptor(
    name: "auto_orient", family: "conversion",
    summary: "Turn and mirror as the EXIF orientation says, for pictures opened with orient = false")

  /// - Parameter orientation: the orientation of the input's pixels, from their metadata.
  package init(_ orientation: Orientation) { self.orientation = orientation }

  package init(_ arguments: Arguments) { orientation = nil }

  package var turning: Orientation? { orientation }

  package func adapted(to metadata: PictureMetadata) -> (any PictureOperation)? {
    orientation == nil ? AutoOrient(metadata.orientation) : nil
  }

  package var acceptsCMYK: Bool { true }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    known.upright(inputs[0])
  }

  package func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata {
    var result = metadata
    result.orientation = .upright
    if result.exif["Orientation"] != nil { result.exif["Orientation"] = .integer(Orientation.upright.rawValue) }
    if known.swapsSides, let resolution = metadata.resolution {
      result.resolution = Resolution(horizontal: resolution.vertical, vertical: resolution.horizontal)
    }
    return result
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    known.needsFrame ? PixelBuffer.byteCount(inputs[0]) : 0
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    OrientedSource.open(inputs[0], known, context)
  }

  private var known: Orientation {
    guard let orientation else { preconditionFailure("auto_orient was not adapted to its picture") }
    return orientation
  }
}
