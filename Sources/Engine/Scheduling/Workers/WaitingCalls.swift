import CPlatform

/// The work that is queued for waiting threads because it may block: reading the inputs of items, and calling
/// functions. Each class has one queue for inputs and one for functions.
struct WaitingCalls {
  enum Call {
    case fetch(WorkItem, any Work)
    case call(String, QualityOfService, @Sendable () -> Void)
  }

  private typealias Body = @Sendable () -> Void
  private var fetches = [ItemQueue](repeating: ItemQueue(), count: QualityOfService.allCases.count)
  private var calls = [ArraySlice<(name: String, body: Body)>](repeating: [], count: QualityOfService.allCases.count)

  mutating func append(_ item: WorkItem, _ qos: QualityOfService) {
    fetches[qos.rawValue].append(item)
    item.ledger.isToBeFetched = true
  }

  mutating func append(_ name: String, _ body: @escaping @Sendable () -> Void, _ qos: QualityOfService) {
    calls[qos.rawValue].append((name, body))
  }

  mutating func remove(_ item: WorkItem, _ qos: QualityOfService) {
    fetches[qos.rawValue].remove(item)
    item.ledger.isToBeFetched = false
  }

  /// Takes the first call of the highest class. Inputs of classes for which `mayFetch` returns false stay queued.
  mutating func take(_ mayFetch: (QualityOfService) -> Bool) -> Call? {
    for index in calls.indices.reversed() {
      if let (name, body) = calls[index].popFirst() {
        return .call(name, QualityOfService.allCases[index], body)
      }
      if let item = fetches[index].first(), let work = item.ledger.work, mayFetch(QualityOfService.allCases[index]) {
        remove(item, QualityOfService.allCases[index])
        return .fetch(item, work)
      }
    }
    return nil
  }

  func count(_ mayFetch: (QualityOfService) -> Bool) -> Int {
    var count = 0
    for index in calls.indices {
      count += calls[index].count
      let waiting = fetches[index].count
      if waiting > 0, mayFetch(QualityOfService.allCases[index]) { count += waiting }
    }
    return count
  }

  var items: [WorkItem] { fetches.flatMap(\.all) }
}

extension Scheduler.State {
  /// Takes the next call for a waiting thread, which then no longer counts as idle.
  mutating func takeCall() -> WaitingCalls.Call? {
    var calls = calls
    self.calls = WaitingCalls()
    defer { self.calls = calls }
    guard let call = calls.take(mayFetch) else { return nil }
    if case .fetch(let item, _) = call { fetching[ObjectIdentifier(item)] = item }
    idleWaiting -= 1
    return call
  }
}

/// The calls that a thread still has to make: to work that is abandoned, and to observers.
///
/// An observer may end another item, whose observers are then called. A chain of thousands must not overflow the stack,
/// so a call that is requested during another call is made after that call has returned.
final class DeferredCalls {
  private var bodies: [() -> Void] = []

  /// Calls `body` now, or after the calls that this thread is already making.
  static func add(_ body: @escaping () -> Void) {
    if let pointer = cplatform_thread_list() {
      Unmanaged<DeferredCalls>.fromOpaque(pointer).takeUnretainedValue().bodies.append(body)
      return
    }
    let list = DeferredCalls()
    list.bodies.append(body)
    cplatform_set_thread_list(Unmanaged.passUnretained(list).toOpaque())
    var next = 0
    while next < list.bodies.count {
      list.bodies[next]()
      next += 1
      if next == 256 {
        list.bodies.removeFirst(next)
        next = 0
      }
    }
    cplatform_set_thread_list(nil)
  }
}
