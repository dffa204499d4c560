import Synchronization

/// A flag that asks work to stop. Set once, never unset; children follow their parent.
public final class CancellationToken: Sendable {
  private let flag = Atomic<Bool>(false)
  private let parent: CancellationToken?

  public init(parent: CancellationToken? = nil) { self.parent = parent }

  /// Asks everything that holds this token or a child of it to stop. From any thread.
  public func cancel() { flag.store(true, ordering: .releasing) }

  public var isCancelled: Bool {
    flag.load(ordering: .acquiring) || parent?.isCancelled ?? false
  }
}
