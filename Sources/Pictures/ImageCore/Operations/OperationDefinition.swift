/// What a script can know about an operation, declared once as data.
///
/// Lua checking, `imghost ops`, reference pages and editor stubs are all derived from it.
public struct OperationDescriptor: Sendable, Hashable {
  /// The name scripts call it by.
  public let name: String
  /// The family it is listed under: conversion, resample, colour, convolution, arithmetic, plugin.
  public let family: String
  /// One sentence, no full stop.
  public let summary: String
  /// In positional order.
  public let parameters: [ParameterDescriptor]
  /// How many of the parameters may be given by position: `fill(800, 600)`.
  public let positionalCount: Int
  /// Whether it makes pictures out of nothing, of the `width` and `height` among its parameters.
  public let isSource: Bool

  public init(
    name: String, family: String, summary: String, parameters: [ParameterDescriptor] = [],
    positional: Int = 0, isSource: Bool = false
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

/// An operation that carries its own descriptor: every one that ships with imghost.
public protocol DescribedOperation: PictureOperation {
  static var descriptor: OperationDescriptor { get }
  /// Makes the operation from arguments that the descriptor has checked.
  ///
  /// Throws only what a descriptor cannot express, such as two options that exclude each other.
  init(_ arguments: Arguments) throws(OperationError)
}

/// A descriptor and how to make the operation: what the lists of operations and plugins hold.
public struct OperationDefinition: Sendable {
  public let descriptor: OperationDescriptor
  public let make: @Sendable (Arguments) throws(OperationError) -> any PictureOperation

  public init(
    _ descriptor: OperationDescriptor,
    make: @escaping @Sendable (Arguments) throws(OperationError) -> any PictureOperation
  ) {
    self.descriptor = descriptor
    self.make = make
  }

  public init<Operation: DescribedOperation>(_ type: Operation.Type) {
    self.init(Operation.descriptor) { (arguments) throws(OperationError) in
      try Operation(arguments)
    }
  }
}
