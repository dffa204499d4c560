/// One step of a pipeline, which makes a picture from its input pictures. A value without state.
///
/// An operation is made from checked arguments. It computes the layout of its result before any pixel is decoded, and
/// is opened to read rows. Each built-in operation that scripts can call has one file, and one line in `OperationList`.
public protocol PictureOperation: Sendable {
  /// Returns the operation that replaces this one if the first input has this metadata, as for `auto_orient`; nil to
  /// keep this one.
  ///
  /// The pipeline calls it before `outputLayout(of:)`, when the orientation and the resolution of the input are known.
  func adapted(to metadata: PictureMetadata) -> (any PictureOperation)?

  /// Whether the operation accepts CMYK. Such an operation treats all bands alike, as `resize` does, or converts
  /// colours.
  var acceptsCMYK: Bool { get }

  /// Whether every colour sample of the result has either the lowest or the highest value.
  var isTwoLevel: Bool { get }

  /// Whether the operation changes metadata and no pixel.
  var changesOnlyMetadata: Bool { get }

  /// Whether the operation does nothing but convert colours from the profile of its input to another profile.
  var convertsColours: Bool { get }

  /// The text that the operation draws, which may have fields in braces, such as `"© {exif.Artist}"`; nil for none. The
  /// pipeline fills in the fields for each picture, and passes the text to `filled(with:notes:)`.
  var template: String? { get }

  /// Whether the operation draws a text, whose look depends on the fonts of the machine and on the language.
  var drawsText: Bool { get }

  /// The version that a file had when it was read, if an argument names a file, such as a colour profile; else nil.
  var readVersion: FileVersion? { get }

  /// Returns the operation that draws a text instead of its template.
  ///
  /// - Parameter notes: clauses about the text that the operation reports when it is opened.
  func filled(with text: String, notes: [String]) -> any PictureOperation

  /// Returns the size and format of the result.
  ///
  /// - Parameter inputs: the picture on which the operation is called, followed by every picture among its arguments,
  ///   in the order of their `ParameterValue.picture` indices.
  /// - Throws: the reason why these inputs cannot be processed.
  func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout

  /// Returns the greatest factor by which the first input can be shrunk without loss of quality: the factor by which
  /// the operation itself shrinks the input; 1 if it enlarges the input, or if the input must not be shrunk.
  ///
  /// The planner lets a decoder shrink by at most half of this factor. It may use the whole factor if the file is not
  /// cropped, and `isCoarse` or the header's `hasFineShrinks` is true. The layout of the opened input is then smaller
  /// than the nominal one.
  func shrinkTolerance(of input: PictureLayout) -> Double

  /// Whether a decoder may shrink the first input by the whole tolerance instead of half of it, because the result is
  /// only measured and its pixels are not shown.
  var isCoarse: Bool { get }

  /// Returns the operation for a first input that is decoded at a reduced size, within `shrinkTolerance`. `shrink`
  /// describes where the picture lies in the decoded rows. Called only for operations with a tolerance above 1.
  func reading(_ shrink: ShrinkOnLoad) -> any PictureOperation

  /// The rotation or reflection of the first input, if the operation does nothing else; otherwise nil.
  ///
  /// Such an operation also works on an input that was shrunk on load: the planner passes the tolerance of the next
  /// operation on to the previous one, and `open` uses `inputs[0].layout`.
  var turning: Orientation? { get }

  /// The region of the first input that is the result, pixel for pixel, if the operation does nothing else; otherwise
  /// nil. The planner then lets the decoder produce only this region, shrunk on load for the next operation.
  var cutRegion: Region? { get }

  /// Returns the part of the first input that the result shows, possibly rotated or scaled; nil if the operation
  /// changes colours or adds anything.
  func shownPart(of input: PictureLayout) -> ShownPart?

  /// Returns the metadata of the result for a first input with this metadata. Resizing keeps the metadata; orienting
  /// resets the orientation.
  func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata

  /// Returns an upper estimate of the bytes of memory that the operation needs in addition to its inputs. The scheduler
  /// starts a task only when its memory fits the budget.
  func workingByteCount(for inputs: [PictureLayout]) -> Int

  /// The number of bytes that the operation keeps besides its arguments, such as those of a profile that it has read.
  var keptByteCount: Int { get }

  /// Starts the operation and returns a source of its rows.
  ///
  /// - Parameters:
  ///   - inputs: the rows of each input. Inputs after the first are always whole and at full size.
  ///   - nominal: the layouts given to `outputLayout(of:)`. `inputs[0].layout` differs from `nominal[0]`
  ///     only in size, and only after `reading(_:)` or if `turning` is not nil.
  ///   - context: workers and cancellation, valid until the returned source is released.
  /// - Throws: errors of the inputs, for operations that read them here.
  func open(_ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext)
    throws(PictureError) -> any RowSource
}

/// An operation that needs the colour profiles of its inputs.
public protocol ProfiledOperation: PictureOperation {
  /// A function that takes the index of an input and returns its ICC profile, empty for none. The property is nil until
  /// the planner sets it. Call the function only in `open`, because it reads files.
  var profiles: (@Sendable (Int) -> [UInt8])? { get set }
}

extension PictureOperation {
  public func adapted(to metadata: PictureMetadata) -> (any PictureOperation)? { nil }
  public var changesOnlyMetadata: Bool { false }
  public var template: String? { nil }
  public var drawsText: Bool { template != nil }
  public var readVersion: FileVersion? { nil }
  public func filled(with text: String, notes: [String]) -> any PictureOperation {
    preconditionFailure("an operation with a template must implement filled(with:notes:)")
  }
  public func shrinkTolerance(of input: PictureLayout) -> Double { 1 }
  public var isCoarse: Bool { false }
  public func reading(_ shrink: ShrinkOnLoad) -> any PictureOperation {
    precondition(shrink == .off, "an operation with a tolerance must implement reading(_:)")
    return self
  }
  public var acceptsCMYK: Bool { convertsColours }
  public var convertsColours: Bool { false }
  public var isTwoLevel: Bool { false }
  public var turning: Orientation? { nil }
  public var cutRegion: Region? { nil }
  public func shownPart(of input: PictureLayout) -> ShownPart? {
    if let turning { return ShownPart(turning: turning) }
    return cutRegion.map { region in
      ShownPart(
        left: Double(region.left), top: Double(region.top), width: Double(region.width), height: Double(region.height),
        of: (input.width, input.height))
    }
  }
  public func outputMetadata(_ metadata: PictureMetadata) -> PictureMetadata { metadata }
  public var keptByteCount: Int { 0 }
  public func workingByteCount(for inputs: [PictureLayout]) -> Int { (inputs.first?.rowByteCount ?? 0) * 128 }
}
