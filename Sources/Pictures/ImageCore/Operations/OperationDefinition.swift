/// The role of an operation, which lets the pipeline find it regardless of its name.
public enum OperationRole: Sendable {
  /// Converts colours to the profile that its first argument names.
  case convertsToProfile
  /// Scales the picture to cover the width and height that its first arguments give, and crops the excess.
  case fills
}

/// The declaration of an operation: its name, its family, and its parameters.
///
/// Argument checks, `imghost ops`, the reference pages and the editor stubs are derived from it.
public struct OperationDescriptor: Sendable, Hashable {
  /// The name of the function in scripts.
  public let name: String
  /// The family under which the operation is listed, such as `conversion`, `resample`, `colour` or `plugin`.
  public let family: String
  /// A one-sentence summary, without a full stop.
  public let summary: String
  /// The parameters in positional order.
  public let parameters: [ParameterDescriptor]
  /// The number of leading parameters that may be given by position, as in `fill(800, 600)`.
  public let positionalCount: Int
  /// Whether a plugin generates the picture without an input. The parameters then include `width` and `height`.
  public let isSource: Bool
  /// The role in which the pipeline uses the operation; nil for none.
  public let role: OperationRole?

  public init(
    name: String, family: String, summary: String, parameters: [ParameterDescriptor] = [], positional: Int = 0,
    isSource: Bool = false, role: OperationRole? = nil
  ) {
    precondition(positional <= parameters.count)
    self.name = name
    self.family = family
    self.summary = summary
    self.parameters = parameters
    self.positionalCount = positional
    self.isSource = isSource
    self.role = role
  }
}

/// An operation that declares its own descriptor, as do imghost's own operations that scripts can call.
public protocol DescribedOperation: PictureOperation {
  static var descriptor: OperationDescriptor { get }
  /// Makes the operation from arguments that the descriptor has checked.
  ///
  /// - Throws: mistakes that a descriptor cannot express, such as two contradictory options.
  init(_ arguments: Arguments) throws(OperationError)

  /// Returns the arguments with the same visible effect on inputs that are `scale` times as large; nil if there are
  /// none, as for a median, whose window has a few pixels at any size.
  ///
  /// The default implementation multiplies values in pixels.
  static func arguments(_ arguments: Arguments, scaledBy scale: Double) -> Arguments?
}

extension DescribedOperation {
  public static func arguments(_ arguments: Arguments, scaledBy scale: Double) -> Arguments? {
    arguments.scaled(by: scale, descriptor.parameters)
  }
}

/// An entry in a list of operations or plugins: a descriptor and a function that makes the operation.
public struct OperationDefinition: Sendable {
  public let descriptor: OperationDescriptor
  public let make: @Sendable (Arguments) throws(OperationError) -> any PictureOperation
  /// A function that returns the arguments for inputs at another scale; see `DescribedOperation`.
  public let scaled: @Sendable (Arguments, Double) -> Arguments?

  /// - Parameter scaled: the function that becomes the property `scaled`; by default, the operation supports only
  ///   pictures at full size.
  public init(
    _ descriptor: OperationDescriptor, scaled: @escaping @Sendable (Arguments, Double) -> Arguments? = { _, _ in nil },
    make: @escaping @Sendable (Arguments) throws(OperationError) -> any PictureOperation
  ) {
    self.descriptor = descriptor
    self.make = make
    self.scaled = scaled
  }

  public init<Operation: DescribedOperation>(_ type: Operation.Type) {
    self.init(Operation.descriptor, scaled: { Operation.arguments($0, scaledBy: $1) }) {
      (arguments) throws(OperationError) in
      try Operation(arguments)
    }
  }
}

/// A function that measures a picture's pixels as soon as the script calls it, such as `picture:stats()`.
public struct MeasurementDefinition: Sendable {
  /// The function's name and parameters.
  public let descriptor: OperationDescriptor
  /// The type of the function's result.
  public let result: Result
  /// The longest side in pixels of the reduced version that is measured; nil for the picture's own size.
  public let side: Int?
  /// The function, which reads rows to their end. Its result depends only on the pixels, not on the number of workers.
  public let measure: Measure

  /// The type of the function. It receives the rows, the arguments, a function that returns the rows' ICC profile
  /// (empty for none), and the context.
  public typealias Measure =
    @Sendable (any RowSource, Arguments, _ profile: () -> [UInt8], OperationContext) throws(PictureError) ->
    ParameterValue

  public enum Result: Sendable {
    case text
    /// A list, or a table of names and values, which the script receives. The text is the type's name in the editor
    /// stubs.
    case table(String)
    /// Arguments for the operation with this name, which is then applied to the picture. The script receives the
    /// resulting picture, whose size is known only after pixels have been read.
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
