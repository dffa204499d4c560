import Synchronization

/// A flag that asks work to stop, with the reason. Set once, never unset; children follow their parent.
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

  /// Asks everything that holds this token or a child of it to stop, and tells whoever watches it or a
  /// parent. From any thread. The first reason is the one that is kept.
  public func cancel(_ reason: CancellationReason = .requested) {
    mark(reason)
    var token: CancellationToken? = self
    while let current = token {
      current.handler.load()?.run()
      token = current.parent
    }
  }

  /// Sets the flag and tells nobody: for whoever sees to what follows.
  public func mark(_ reason: CancellationReason) {
    _ = ownReason.storeIfNil(Reason(reason))
    flag.store(true, ordering: .releasing)
  }

  /// Calls `handler`, on the thread that cancels, whenever this token or a child of it is cancelled.
  /// One handler a token: the first.
  public func onCancel(_ handler: @escaping @Sendable () -> Void) {
    _ = self.handler.storeIfNil(Handler(handler))
  }

  public var isCancelled: Bool {
    flag.load(ordering: .acquiring) || parent?.isCancelled ?? false
  }

  /// Why; nil while it is not cancelled.
  public var reason: CancellationReason? {
    (flag.load(ordering: .acquiring) ? ownReason.load()?.value : nil) ?? parent?.reason
  }
}
