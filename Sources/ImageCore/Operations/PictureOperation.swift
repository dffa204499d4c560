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

  /// Whether it works on a shrunk first input just as well, its result then being a shrunk version of
  /// its nominal one: true for turning and mirroring, which only move pixels. The planner then passes
  /// the tolerance of what follows on to what comes before, and `open` goes by `inputs[0].layout`.
  var isShrinkTransparent: Bool { get }

  /// The part of the first input that the result is, pixel for pixel, where it is nothing else. The planner
  /// then has a decoder make no more than that.
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
  ///     only in size, and only where `shrinkTolerance` allowed it: one pixel of it stands for
  ///     `nominal.width / shrunk.width` pixels, see `ShrunkScale`.
  ///   - context: workers and cancellation, valid as long as the returned source.
  func open(_ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext)
    throws(PictureError) -> any RowSource
}

extension PictureOperation {
  public func adapted(to metadata: PictureMetadata) -> (any PictureOperation)? { nil }
  public func shrinkTolerance(of input: PictureLayout) -> Double { 1 }
  public var isShrinkTransparent: Bool { false }
  public var cutRegion: Region? { nil }
  public func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata { metadata }
  public func workingByteCount(for inputs: [PictureLayout]) -> Int {
    (inputs.first?.rowByteCount ?? 0) * 128
  }
}

/// The whole factor by which a decoder shrank a picture.
public enum ShrunkScale {
  /// 1, 2, 4 or 8: such that `ceil(nominal / factor) == actual` in both directions.
  public static func factor(nominal: PictureLayout, actual: PictureLayout) -> Int {
    for factor in [1, 2, 4, 8]
    where (nominal.width + factor - 1) / factor == actual.width
      && (nominal.height + factor - 1) / factor == actual.height
    {
      return factor
    }
    preconditionFailure("input is neither its nominal size nor a decoder's fraction of it")
  }
}
