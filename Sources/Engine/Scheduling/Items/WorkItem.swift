import Synchronization

/// A piece of work that was submitted to a scheduler: its class, its state, its dependencies and dependents.
///
/// Its members may be used from any thread.
public final class WorkItem: Sendable {
  public enum State: UInt8, Sendable {
    /// A dependency is not over.
    case waiting
    /// The item is in the queue of its class.
    case ready
    /// The item has begun. It may be put aside between two steps.
    case running
    case finished
    case failed
    case cancelled

    public var isOver: Bool { self >= .finished }
    static func >= (left: Self, right: Self) -> Bool { left.rawValue >= right.rawValue }
  }

  /// The condition that another item sets for this one.
  public struct Dependency: Sendable {
    let item: WorkItem
    /// Whether this item is cancelled without the success of the other.
    let needsSuccess: Bool

    /// Waits until `item` has finished; cancelled if that fails or is cancelled.
    public static func success(of item: WorkItem) -> Self { Self(item: item, needsSuccess: true) }
    /// Waits until `item` is over, whatever its outcome.
    public static func end(of item: WorkItem) -> Self { Self(item: item, needsSuccess: false) }
  }

  // Small properties are next to each other, because thousands of items may wait.
  /// The class in which it was submitted.
  public let requestedQoS: QualityOfService
  private let qosValue: Atomic<UInt8>
  private let settledValue = Atomic<Bool>(false)
  private let stateValue = Atomic<UInt8>(State.waiting.rawValue)
  /// The bytes of memory that it is predicted to need, for admission.
  let byteCount: Int
  /// The identity of its queue, readable without the lock.
  let queueIdentity: ObjectIdentifier?
  /// Guarded by the scheduler's lock.
  nonisolated(unsafe) var ledger = Ledger()

  struct Dependent {
    let item: WorkItem
    let needsSuccess: Bool
  }

  struct Ledger {
    /// The work; nil when the item is over. Only the worker that took the item out of its queue calls `step`.
    var work: (any Work)?
    /// The number of the current entry in a queue; entries with another number are outdated.
    var ticket: UInt32 = 0
    /// The number of dependencies that are not over.
    var missing: Int32 = 0
    /// Its position among all items in the order in which they became ready.
    var place = 0
    /// Whether its bytes are counted.
    var isAdmitted = false
    /// Whether its input has been read ahead.
    var isFetched = false
    /// Whether its input is to be fetched.
    var isToBeFetched = false
    /// Whether it is in a queue, including that for fetching.
    var isQueued = false
    /// Whether a low worker runs it.
    var isOnLow = false
    /// Nil for most items.
    private var relations: Relations?

    /// The job queue that it was submitted to, if any. Kept alive until the item is over.
    var queue: JobQueue? {
      get { relations?.queue }
      set { if relations != nil || newValue != nil { made().queue = newValue } }
    }
    /// The name of a gate in the reason with which later items are cancelled.
    var subject: String? {
      get { relations?.subject }
      set { if relations != nil || newValue != nil { made().subject = newValue } }
    }
    /// The number of waiters in each class, by raw value.
    var boosts: SIMD8<UInt32> {
      get { relations?.boosts ?? .zero }
      set { made().boosts = newValue }
    }
    /// The dependencies that are not over; they are raised with this item.
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

  /// The ties of an item to others. Guarded like the ledger.
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

  /// The class in which it waits or runs: its own, or that of a waiter.
  public var qos: QualityOfService { QualityOfService(rawValue: Int(qosValue.load(ordering: .relaxed)))! }

  public internal(set) var state: State {
    get { State(rawValue: stateValue.load(ordering: .acquiring))! }
    set { stateValue.store(newValue.rawValue, ordering: .releasing) }
  }

  /// Whether its dependents have been updated. A cancelled item keeps its place in a serial queue until the items
  /// before it are over and it has been abandoned.
  var isSettled: Bool {
    get { settledValue.load(ordering: .acquiring) }
    set { settledValue.store(newValue, ordering: .releasing) }
  }

  /// Counts a waiter of a class in or out. Under the scheduler's lock.
  ///
  /// - Returns: true if the item's class has changed.
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
