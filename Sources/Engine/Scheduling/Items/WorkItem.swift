import Synchronization

/// A piece of work that was submitted to a scheduler: its class, its state, its dependencies and dependents.
///
/// Its members may be used from any thread.
public final class WorkItem: Sendable {
  public enum State: UInt8, Sendable {
    /// A dependency has not ended yet.
    case waiting
    /// All dependencies have ended. The item is in a queue, or its input is being fetched.
    case ready
    /// The item has begun. It may be put aside between two steps.
    case running
    case finished
    case failed
    case cancelled

    public var isOver: Bool { self >= .finished }
    static func >= (left: Self, right: Self) -> Bool { left.rawValue >= right.rawValue }
  }

  /// A condition for the start of an item: that another item has ended, or has succeeded.
  public struct Dependency: Sendable {
    let item: WorkItem
    /// Whether the dependent is cancelled if `item` does not succeed.
    let needsSuccess: Bool

    /// Returns the condition that `item` has finished. The dependent is cancelled if `item` fails or is cancelled.
    public static func success(of item: WorkItem) -> Self { Self(item: item, needsSuccess: true) }
    /// Returns the condition that `item` has ended, regardless of its outcome.
    public static func end(of item: WorkItem) -> Self { Self(item: item, needsSuccess: false) }
  }

  // Small properties are adjacent to save memory, because thousands of items may wait.

  /// The class in which the item was submitted.
  public let requestedQoS: QualityOfService
  private let qosValue: Atomic<UInt8>
  private let settledValue = Atomic<Bool>(false)
  private let stateValue = Atomic<UInt8>(State.waiting.rawValue)
  /// The predicted memory in bytes, for admission.
  let byteCount: Int
  /// The identity of the item's job queue, readable without the lock; nil if it has none.
  let queueIdentity: ObjectIdentifier?
  /// Guarded by the scheduler's lock.
  nonisolated(unsafe) var ledger = Ledger()

  struct Dependent {
    let item: WorkItem
    let needsSuccess: Bool
  }

  struct Ledger {
    /// The work; nil once the item has ended. Only the worker that took the item out of its queue calls `step`.
    var work: (any Work)?
    /// The number of the current entry in a queue; entries with another number are outdated.
    var ticket: UInt32 = 0
    /// The number of dependencies that have not ended. A gate that has not been completed counts as its own dependency,
    /// and so does cancelled work that has not been abandoned yet.
    var missing: Int32 = 0
    /// The item's position in the order in which items became ready.
    var place = 0
    /// Whether the item has begun, so that its memory counts as used.
    var isAdmitted = false
    /// Whether a waiting thread has read the item's input, or has been asked to do so.
    var isFetched = false
    /// Whether the item is in the queue for fetching.
    var isToBeFetched = false
    /// Whether the item is in a queue, including the queue for fetching.
    var isQueued = false
    /// Whether a low-priority worker runs the item.
    var isOnLow = false
    /// Relations to other items; nil for most items.
    private var relations: Relations?

    /// The job queue that the item was submitted to, if any. It is kept alive until the item has ended.
    var queue: JobQueue? {
      get { relations?.queue }
      set { if relations != nil || newValue != nil { made().queue = newValue } }
    }
    /// The name of a gate (see `Scheduler.submitGate`), for the message about items that are cancelled because of it.
    var subject: String? {
      get { relations?.subject }
      set { if relations != nil || newValue != nil { made().subject = newValue } }
    }
    /// The number of waiters in each class, indexed by raw value.
    var boosts: SIMD8<UInt32> {
      get { relations?.boosts ?? .zero }
      set { made().boosts = newValue }
    }
    /// The dependencies that had not ended when the item was submitted, or the items of a gate. All of them are raised
    /// together with this item.
    var dependencies: [WorkItem] {
      get { relations?.dependencies ?? [] }
      set { if relations != nil || !newValue.isEmpty { made().dependencies = newValue } }
    }
    var dependents: [Dependent] {
      get { relations?.dependents ?? [] }
      set { if relations != nil || !newValue.isEmpty { made().dependents = newValue } }
    }
    var observers: [@Sendable (State) -> Void] {
      get { relations?.observers ?? [] }
      set { if relations != nil || !newValue.isEmpty { made().observers = newValue } }
    }

    mutating func addDependency(_ item: WorkItem) { made().dependencies.append(item) }
    mutating func addDependent(_ dependent: Dependent) { made().dependents.append(dependent) }

    private mutating func made() -> Relations {
      if let relations { return relations }
      let fresh = Relations()
      relations = fresh
      return fresh
    }
  }

  /// An item's relations to others. Guarded by the scheduler's lock.
  private final class Relations {
    var queue: JobQueue?
    var subject: String?
    var boosts = SIMD8<UInt32>()
    var dependencies: [WorkItem] = []
    var dependents: [Dependent] = []
    var observers: [@Sendable (State) -> Void] = []
  }

  init(_ work: any Work, qos: QualityOfService, byteCount: Int, queue: JobQueue? = nil, subject: String? = nil) {
    queueIdentity = queue.map { ObjectIdentifier($0) }
    requestedQoS = qos
    self.byteCount = byteCount
    qosValue = Atomic(UInt8(qos.rawValue))
    ledger.work = work
    ledger.queue = queue
    ledger.subject = subject
  }

  /// The effective class of the item: its own class, or that of a more urgent waiter.
  public var qos: QualityOfService { QualityOfService(rawValue: Int(qosValue.load(ordering: .relaxed)))! }

  public internal(set) var state: State {
    get { State(rawValue: stateValue.load(ordering: .acquiring))! }
    set { stateValue.store(newValue.rawValue, ordering: .releasing) }
  }

  /// Whether the item's end has been passed on to its dependents. A cancelled item is over at once, but is settled only
  /// when its dependencies (such as the items before it in a serial queue) have ended and its work has been abandoned.
  var isSettled: Bool {
    get { settledValue.load(ordering: .acquiring) }
    set { settledValue.store(newValue, ordering: .releasing) }
  }

  /// Adds or removes a waiter of a class. The caller holds the scheduler's lock.
  ///
  /// - Returns: whether the item's class has changed.
  func count(_ change: Int, in qos: QualityOfService) -> Bool {
    ledger.boosts[qos.rawValue] = UInt32(Int(ledger.boosts[qos.rawValue]) + change)
    var highest = requestedQoS.rawValue
    for value in 0..<QualityOfService.allCases.count where ledger.boosts[value] > 0 {
      highest = max(highest, value)
    }
    guard highest != qosValue.load(ordering: .relaxed) else { return false }
    qosValue.store(UInt8(highest), ordering: .relaxed)
    return true
  }
}
