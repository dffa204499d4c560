import Synchronization

/// One piece of work, submitted once and run once.
///
/// An item may stand in several queues at a time, since raising its class enters it again: whoever claims
/// it first runs it.
public final class WorkItem: Sendable {
  /// Bytes of memory it is predicted to need, for admission.
  let byteCount: Int
  /// Gone once it has run, with all that it holds: a job keeps its items to the end of the run.
  ///
  /// Only touched by the one caller that `claim` gave true, so by one thread.
  nonisolated(unsafe) private var body: (@Sendable () -> Void)?
  private let claimed = Atomic<Bool>(false)
  private let qosValue: Atomic<Int>

  init(qos: QualityOfService, byteCount: Int, body: @escaping @Sendable () -> Void) {
    self.byteCount = byteCount
    self.body = body
    self.qosValue = Atomic(qos.rawValue)
  }

  /// The class it waits or runs in; rises when somebody waits for it.
  public var qos: QualityOfService {
    QualityOfService(rawValue: qosValue.load(ordering: .relaxed)) ?? .default
  }

  /// Whether a worker has taken it, now or earlier.
  var isClaimed: Bool { claimed.load(ordering: .acquiring) }

  /// True for exactly one caller.
  func claim() -> Bool {
    claimed.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing)
      .exchanged
  }

  /// Raises the class; false when it is as high already.
  func raise(to qos: QualityOfService) -> Bool {
    var current = qosValue.load(ordering: .relaxed)
    while current < qos.rawValue {
      let result = qosValue.compareExchange(
        expected: current, desired: qos.rawValue, ordering: .relaxed)
      if result.exchanged { return true }
      current = result.original
    }
    return false
  }

  /// Runs the work. Called once, by the one that claimed it.
  func run() {
    body?()
    body = nil
  }
}
