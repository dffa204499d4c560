import Synchronization

/// One piece of work in a scheduler's hands: its class, its state, what it waits for and what waits for it.
///
/// May be asked from any thread.
public final class WorkItem: Sendable {
  public enum State: UInt8, Sendable {
    /// Something it depends on is not over.
    case waiting
    /// It could run and stands in its class' queue.
    case ready
    /// It has begun. It may be put aside between two steps.
    case running
    case finished
    case failed
    case cancelled

    public var isOver: Bool { self >= .finished }
    static func >= (left: Self, right: Self) -> Bool { left.rawValue >= right.rawValue }
  }

  /// What another item means to this one.
  public struct Dependency: Sendable {
    let item: WorkItem
    /// Whether this one makes no sense without it, or only comes after it.
    let needsSuccess: Bool

    /// Runs after `item` has finished, and is cancelled where that fails or is cancelled.
    public static func success(of item: WorkItem) -> Self { Self(item: item, needsSuccess: true) }
    /// Runs when `item` is over, however that went.
    public static func end(of item: WorkItem) -> Self { Self(item: item, needsSuccess: false) }
  }

  // Thousands wait: what is small stands together.
  /// The class it was submitted in.
  public let requestedQoS: QualityOfService
  private let qosValue: Atomic<UInt8>
  private let settledValue = Atomic<Bool>(false)
  private let stateValue = Atomic<UInt8>(State.waiting.rawValue)
  /// Bytes of memory it is predicted to need, for admission.
  let byteCount: Int
  /// The queue it was submitted to, for whoever asks without the lock.
  let queueIdentity: ObjectIdentifier?
  /// Guarded by the scheduler's lock.
  nonisolated(unsafe) var ledger = Ledger()

  struct Dependent {
    let item: WorkItem
    let needsSuccess: Bool
  }

  struct Ledger {
    /// Gone once it is over, with all that it holds. Its `step` is only called by the one worker that has
    /// taken the item out of its queue.
    var work: (any Work)?
    /// Tells an entry of a queue that is out of date.
    var ticket: UInt32 = 0
    /// Dependencies that are not over.
    var missing: Int32 = 0
    /// When it became ready, among all.
    var place = 0
    /// Whether its bytes are counted.
    var isAdmitted = false
    /// Whether its input has been read ahead.
    var isFetched = false
    /// Whether it stands among those whose input is to be fetched.
    var isToBeFetched = false
    /// Whether it stands in a queue now, that or another.
    var isQueued = false
    /// Whether a low worker has it in hand.
    var isOnLow = false
    /// Most of thousands of items have none.
    private var relations: Relations?

    /// The queue it was submitted to, where that is not the scheduler: kept until the item is over.
    var queue: JobQueue? {
      get { relations?.queue }
      set { if relations != nil || newValue != nil { made().queue = newValue } }
    }
    /// What those that come after a gate call it when they are cancelled with it.
    var subject: String? {
      get { relations?.subject }
      set { if relations != nil || newValue != nil { made().subject = newValue } }
    }
    /// How many want it in each class, by raw value.
    var boosts: SIMD8<UInt32> {
      get { relations?.boosts ?? .zero }
      set { made().boosts = newValue }
    }
    /// The dependencies that are not over, for whoever raises this item.
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

  /// What ties an item to others. Guarded like the ledger.
  private final class Relations {
    var queue: JobQueue?
    var subject: String?
    var boosts = SIMD8<UInt32>()
    var dependencies: [WorkItem] = []
    var dependents: [Dependent] = []
    var observers: [@Sendable (State) -> Void] = []
  }

  init(
    _ work: any Work, qos: QualityOfService, byteCount: Int, queue: JobQueue? = nil,
    subject: String? = nil
  ) {
    queueIdentity = queue.map { ObjectIdentifier($0) }
    requestedQoS = qos
    self.byteCount = byteCount
    qosValue = Atomic(UInt8(qos.rawValue))
    ledger.work = work
    ledger.queue = queue
    ledger.subject = subject
  }

  /// The class it waits or runs in: its own, or that of somebody who waits for it.
  public var qos: QualityOfService {
    QualityOfService(rawValue: Int(qosValue.load(ordering: .relaxed)))!
  }

  public internal(set) var state: State {
    get { State(rawValue: stateValue.load(ordering: .acquiring))! }
    set { stateValue.store(newValue.rawValue, ordering: .releasing) }
  }

  /// Whether its dependents have been told. A cancelled item keeps its place in a serial queue until what is
  /// before it is over and it has been abandoned.
  var isSettled: Bool {
    get { settledValue.load(ordering: .acquiring) }
    set { settledValue.store(newValue, ordering: .releasing) }
  }

  /// Adds or removes somebody who wants it in a class. Under the scheduler's lock.
  ///
  /// - Returns: Whether its class has changed.
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
