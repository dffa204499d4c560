import Synchronization

/// A flag that asks work to stop, with the reason. It cannot be reset. A token is also cancelled when its parent is.
public final class CancellationToken: Sendable {
  private final class Reason: Sendable {
    let value: CancellationReason
    init(_ value: CancellationReason) { self.value = value }
  }

  private final class Handler: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let flag = Atomic<Bool>(false)
  private let ownReason = AtomicLazyReference<Reason>()
  private let handler = AtomicLazyReference<Handler>()
  private let parent: CancellationToken?

  public init(parent: CancellationToken? = nil) { self.parent = parent }

  /// Cancels this token and its descendants, and calls the handlers of this token and its ancestors.
  ///
  /// May be called from any thread. The first reason is kept.
  public func cancel(_ reason: CancellationReason = .requested) {
    mark(reason)
    var token: CancellationToken? = self
    while let current = token {
      current.handler.load()?.run()
      token = current.parent
    }
  }

  /// Sets the flag without calling handlers.
  public func mark(_ reason: CancellationReason) {
    _ = ownReason.storeIfNil(Reason(reason))
    flag.store(true, ordering: .releasing)
  }

  /// Sets the handler that is called, on the same thread, when `cancel` is called on this token or on a descendant.
  ///
  /// A token has only one handler: the first one that is set.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) {
    _ = self.handler.storeIfNil(Handler(handler))
  }

  public var isCancelled: Bool { flag.load(ordering: .acquiring) || parent?.isCancelled ?? false }

  /// The reason; nil while the token is not cancelled.
  public var reason: CancellationReason? {
    (flag.load(ordering: .acquiring) ? ownReason.load()?.value : nil) ?? parent?.reason
  }
}

/// The reason why work was cancelled, as the end of a sentence "cancelled, because …".
public struct CancellationReason: Sendable, Hashable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  /// The work was cancelled by a call.
  public static let requested = CancellationReason("it was cancelled")
  /// The scheduler of the work was invalidated.
  public static let invalidated = CancellationReason("the run has ended")
}
