/// Why work was cancelled, in words that end a sentence: "cancelled, because …".
public struct CancellationReason: Sendable, Hashable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  /// Somebody asked for it.
  public static let requested = CancellationReason("it was cancelled")
  /// The scheduler or queue it was given to has ended.
  public static let invalidated = CancellationReason("the run has ended")
}
