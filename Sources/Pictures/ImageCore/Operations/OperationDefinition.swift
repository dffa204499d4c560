/// The declaration of an operation: its name, its family, and its parameters.
///
/// Argument checks, `imghost ops`, the reference pages and the editor stubs are derived from it.
public struct OperationDescriptor: Sendable, Hashable {
  /// The name of the function in scripts.
  public let name: String
  /// The family that lists it: conversion, resample, colour, convolution, arithmetic or plugin.
  public let family: String
  /// One sentence, no full stop.
  public let summary: String
  /// In positional order.
  public let parameters: [ParameterDescriptor]
  /// The number of leading parameters that may be given by position: `fill(800, 600)`.
  public let positionalCount: Int
  /// Whether it makes a picture without an input, of the `width` and `height` among its parameters.
  public let isSource: Bool

  public init(
    name: String, family: String, summary: String, parameters: [ParameterDescriptor] = [], positional: Int = 0,
    isSource: Bool = false
  ) {
    precondition(positional <= parameters.count)
    self.name = name
    self.family = family
    self.summary = summary
    self.parameters = parameters
    self.positionalCount = positional
    self.isSource = isSource
  }
}

/// An operation with its own descriptor, as all that ship with imghost are.
public protocol DescribedOperation: PictureOperation {
  static var descriptor: OperationDescriptor { get }
  /// Makes the operation from arguments that the descriptor has checked.
  ///
  /// - Throws: mistakes that a descriptor cannot express, such as two options that exclude each other.
  init(_ arguments: Arguments) throws(OperationError)

  /// Returns the arguments that make the same result, smaller, of inputs `scale` times as large; nil if there are none,
  /// as for a median, whose window is a few pixels at any size.
  ///
  /// The default multiplies what is in pixels.
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
  /// Returns the arguments for inputs of another scale, see `DescribedOperation`.
  public let scaled: @Sendable (Arguments, Double) -> Arguments?

  /// - Parameter scaled: by default, the operation works on pictures at their full size only.
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
