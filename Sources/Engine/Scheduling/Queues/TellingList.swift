import CShims

/// What a thread has still to tell others.
///
/// Who is told that something is over may end something else: chains of thousands must not fill the stack, so
/// what comes up meanwhile waits until the one before has returned.
final class TellingList {
  private var bodies: [() -> Void] = []

  /// Calls `body` now, or when this thread has returned from what it is telling.
  static func add(_ body: @escaping () -> Void) {
    if let pointer = imghost_thread_list() {
      Unmanaged<TellingList>.fromOpaque(pointer).takeUnretainedValue().bodies.append(body)
      return
    }
    let list = TellingList()
    list.bodies.append(body)
    imghost_set_thread_list(Unmanaged.passUnretained(list).toOpaque())
    var next = 0
    while next < list.bodies.count {
      list.bodies[next]()
      next += 1
      if next == 256 {
        list.bodies.removeFirst(next)
        next = 0
      }
    }
    imghost_set_thread_list(nil)
  }
}
