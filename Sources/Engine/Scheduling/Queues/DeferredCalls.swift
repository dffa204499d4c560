import CPlatform

/// The observers that a thread still has to call.
///
/// An observer may end another item, whose observers are then called. A chain of thousands must not overflow the stack,
/// so a call requested during another one waits until that has returned.
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
