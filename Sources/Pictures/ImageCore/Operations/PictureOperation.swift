/// One step of a pipeline: pictures in, a picture out. A value without state of its own.
///
/// An operation is made from checked arguments, says what its result will look like before a pixel is
/// decoded, and is opened to read rows. One file an operation, one line in the list.
public protocol PictureOperation: Sendable {
  /// The operation to use for a first input with this metadata where that is another one: where its own
  /// arguments leave something to the picture, as `auto_orient`'s do. Nil for itself. The planner calls it
  /// once, before anything else, as soon as the input's orientation and resolution are known.
  func adapted(to metadata: PictureMetadata) -> (any PictureOperation)?

  /// Size and format of the result, or why these inputs cannot be worked on.
  ///
  /// - Parameter inputs: the picture the operation is called on, then every picture among its
  ///   arguments, in the order of their `ParameterValue.picture` indices.
  func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout

  /// How much smaller than `input` the first input may be delivered without harm: 1 for as it is, 4 when
  /// the operation will shrink to at most a quarter anyway. The planner lets a decoder scale by half of
  /// this at most. The operation then gets an input whose layout is smaller than the nominal one.
  func shrinkTolerance(of input: PictureLayout) -> Double

  /// The operation for a first input that a decoder has shrunk, where `shrinkTolerance` allowed that: it goes
  /// by `part` to find the picture in the rows it gets. Of operations with a tolerance above 1 only.
  func reading(_ part: ShrunkPart) -> any PictureOperation

  /// How it turns or mirrors the first input, where it does nothing else. A shrunk input is turned just as
  /// well: the planner passes the tolerance of what follows on to what comes before, and `open` goes by
  /// `inputs[0].layout`.
  var turning: Orientation? { get }

  /// The part of the first input that the result is, pixel for pixel, where it is nothing else. The planner
  /// then has a decoder make no more than that, shrunk by what follows.
  var cutRegion: Region? { get }

  /// Metadata of the result: what the first input's becomes. Resizing keeps it; orienting resets the
  /// orientation.
  func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata

  /// Bytes of memory needed while it runs beside its inputs, for admission. An upper estimate.
  func workingByteCount(for inputs: [PictureLayout]) -> Int

  /// Starts the operation.
  ///
  /// - Parameters:
  ///   - inputs: rows of each input. Inputs after the first are always delivered whole and unshrunk.
  ///   - nominal: the layouts given to `outputLayout(of:)`. `inputs[0].layout` differs from `nominal[0]`
  ///     only in size, and only where `reading(_:)` has said how, or where the operation only turns.
  ///   - context: workers and cancellation, valid as long as the returned source.
  func open(_ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext)
    throws(PictureError) -> any RowSource
}

extension PictureOperation {
  public func adapted(to metadata: PictureMetadata) -> (any PictureOperation)? { nil }
  public func shrinkTolerance(of input: PictureLayout) -> Double { 1 }
  public func reading(_ part: ShrunkPart) -> any PictureOperation {
    precondition(part == .whole, "what tolerates shrunk rows must say how it reads them")
    return self
  }
  public var turning: Orientation? { nil }
  public var cutRegion: Region? { nil }
  public func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata { metadata }
  public func workingByteCount(for inputs: [PictureLayout]) -> Int {
    (inputs.first?.rowByteCount ?? 0) * 128
  }
}
