import ImageCore

/// Turns and mirrors a picture upright, as its EXIF orientation says. Moves pixels and changes none.
public struct AutoOrient: DescribedOperation {
  /// The orientation of the input's pixels; nil until the input is known, see `adapted(to:)`.
  private let orientation: Orientation?

  public static let descriptor = OperationDescriptor(
    name: "auto_orient", family: "conversion",
    summary: "Turn and mirror as the EXIF orientation says, for pictures opened with orient = false")

  /// - Parameter orientation: the orientation of the input's pixels, from their metadata.
  public init(_ orientation: Orientation) { self.orientation = orientation }

  public init(_ arguments: Arguments) { orientation = nil }

  public var turning: Orientation? { known }

  public func adapted(to metadata: PictureMetadata) -> (any PictureOperation)? {
    orientation == nil ? AutoOrient(metadata.orientation) : nil
  }

  public var takesInk: Bool { true }

  public func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    known.upright(inputs[0])
  }

  public func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata {
    var result = metadata
    result.orientation = .upright
    if result.exif["Orientation"] != nil { result.exif["Orientation"] = .integer(Orientation.upright.rawValue) }
    if known.swapsSides, let resolution = metadata.resolution {
      result.resolution = Resolution(horizontal: resolution.vertical, vertical: resolution.horizontal)
    }
    return result
  }

  public func workingByteCount(for inputs: [PictureLayout]) -> Int {
    known.needsFrame ? PixelBuffer.byteCount(inputs[0]) : 0
  }

  public func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    OrientedSource.open(inputs[0], known, context)
  }

  private var known: Orientation {
    guard let orientation else { preconditionFailure("auto_orient was not adapted to its picture") }
    return orientation
  }
}
