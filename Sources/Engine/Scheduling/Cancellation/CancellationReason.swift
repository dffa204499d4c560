/// The reason why work was cancelled, as the end of a sentence "cancelled, because …".
public struct CancellationReason: Sendable, Hashable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  /// The work was cancelled by a call.
  public static let requested = CancellationReason("it was cancelled")
  /// The scheduler of the work was invalidated.
  public static let invalidated = CancellationReason("the run has ended")
}
