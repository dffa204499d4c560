/// A function that computes facts about a picture's pixels, which a script gets immediately, such as `picture:stats()`.
public struct MeasurementDefinition: Sendable {
  /// The function's name and parameters.
  public let descriptor: OperationDescriptor
  /// The kind of its result.
  public let result: Result
  /// The longest side in pixels of the version that is measured; nil for the picture's own size.
  public let side: Int?
  /// Reads rows to their end. The result depends only on the pixels, not on the number of workers.
  public let measure: Measure

  /// A function of rows, arguments, and the rows' ICC profile, which is empty for none.
  public typealias Measure =
    @Sendable (any RowSource, Arguments, _ profile: () -> [UInt8], OperationContext) throws(PictureError) ->
    ParameterValue

  public enum Result: Sendable {
    case text
    /// A list, or a table of names and values; the text is the type's name in the editor stubs.
    case table(String)
    /// The named arguments of an operation, which is then applied to the picture: the result is a picture whose size is
    /// known only after pixels have been read.
    case operation(String)
  }

  public init(
    _ descriptor: OperationDescriptor, gives result: Result, side: Int? = nil,
    measure: @escaping Measure
  ) {
    self.descriptor = descriptor
    self.result = result
    self.side = side
    self.measure = measure
  }
}
