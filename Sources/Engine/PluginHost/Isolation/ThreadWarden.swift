import CSandbox
import Platform
import Synchronization

/// Grants workers' requests for new threads, up to a limit.
///
/// A seccomp filter cannot count, and `RLIMIT_NPROC` counts all processes of a user. So the kernel forwards each
/// request to the host, through a descriptor that the worker sends before it loads foreign code. One thread answers for
/// all workers, because a worker may make a request at any time, even between two calls.
final class ThreadWarden: Sendable {
  static let shared = ThreadWarden()

  /// The maximum number of threads in a worker. Some libraries start several per processor.
  static let mostThreads = max(256, 4 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  /// The threads granted to a worker whose threads the system does not count, because `/proc` is not mounted.
  final class Uncounted: Sendable {
    fileprivate let granted = Atomic(0)
    fileprivate let isRefused = Atomic(false)

    /// Whether a request was denied that might have been granted if the threads could be counted.
    var hasRefused: Bool { isRefused.load(ordering: .acquiring) }
    /// Whether so many threads were granted that the next call needs a new worker.
    var isSpent: Bool { granted.load(ordering: .acquiring) > mostThreads / 2 }
  }

  private struct Asker {
    let listener: Int32
    let process: pid_t
    let uncounted: Uncounted
  }

  private let askers = Monitor<[Asker]>([])
  /// The pipe that wakes up the answering thread.
  private let wake: (read: Int32, write: Int32)

  private init() {
    var ends: [Int32] = [-1, -1]
    if makePipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) } }
    wake = (ends[0], ends[1])
  }

  /// Answers a worker's requests until it ends. Takes ownership of the descriptor.
  func serve(_ listener: Int32, of process: pid_t, _ uncounted: Uncounted) {
    askers.withLock { $0.append(Asker(listener: listener, process: process, uncounted: uncounted)) }
    guard Self.isRunning else {
      // Without an answer, the worker would wait forever. Once the listener is closed, its requests fail.
      return forget([listener])
    }
    var byte: UInt8 = 0
    _ = write(wake.write, &byte, 1)
  }

  private static let isRunning = startThread(stackByteCount: 256 << 10) { while true { shared.answer() } }

  /// Waits for requests, and answers those that have arrived.
  private func answer() {
    let known = askers.withLock { $0 }
    var polled = known.map { pollfd(fd: $0.listener, events: Int16(POLLIN), revents: 0) }
    polled.append(pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0))
    guard poll(&polled, nfds_t(polled.count), -1) > 0 else { return }
    var bytes = [UInt8](repeating: 0, count: 64)
    if polled.last!.revents != 0 { _ = read(wake.read, &bytes, bytes.count) }
    var ended: [Int32] = []
    for (asker, ready) in zip(known, polled) where ready.revents != 0 {
      let isOpen = ready.revents & Int16(POLLIN) != 0
      if !isOpen || !answer(asker) { ended.append(asker.listener) }
    }
    if !ended.isEmpty { forget(ended) }
  }

  /// Answers a request, and returns whether the worker can make further requests.
  private func answer(_ asker: Asker) -> Bool {
    var request = shim_thread_request()
    let taken = shim_take_thread_request(asker.listener, asker.process, &request)
    guard taken > 0 else { return taken == 0 }
    let isCounted = request.thread_count > 0
    let granted = asker.uncounted.granted.load(ordering: .relaxed)
    // The first thread was started without a request.
    let isGranted = (isCounted ? request.thread_count : granted + 1) < Self.mostThreads
    // The denial is recorded before the answer is sent, because the plugin may fail immediately, and the record
    // explains its failure.
    if !isCounted {
      if isGranted {
        asker.uncounted.granted.store(granted + 1, ordering: .releasing)
      } else {
        asker.uncounted.isRefused.store(true, ordering: .releasing)
      }
    }
    return shim_answer_thread_request(asker.listener, request.identifier, isGranted ? 1 : 0) == 0
  }

  private func forget(_ listeners: [Int32]) {
    askers.withLock { $0.removeAll { listeners.contains($0.listener) } }
    for listener in listeners { close(listener) }
  }
}
