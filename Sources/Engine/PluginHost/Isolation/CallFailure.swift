import Platform

/// The reason why a worker gave no result: facts, from which the text is built in one place.
package enum CallFailure: Error, Equatable {
  /// The plugin's own message; empty for none.
  case plugin(String)
  case ended(ProcessEnding)
  /// The plugin accessed memory outside its buffers, or made a forbidden system call.
  case fault(Fault)
  /// The worker closed the channel but did not end.
  case closed
  /// An invalid answer.
  case garbled
  /// A time limit was exceeded.
  case late(CallTime.Overrun)
  /// A time limit was exceeded in two workers, one after the other.
  case lateAgain(CallTime.Overrun)
  case refused(PluginRefusal)
  /// The worker program itself could not be started.
  case notStarted(String)
  /// The call failed after the plugin was denied a thread, in a worker whose running threads cannot be counted because
  /// /proc is not mounted.
  case uncountedThreads
  /// The library has changed since the script was checked.
  case changed
  case cancelled
  /// The codec found that the file has another format.
  case notMine
  /// The codec's header for an unchanged file differs from an earlier one.
  case otherHeader
  /// The codec wrote a file without bytes.
  case emptyFile

  /// Whether another attempt with a fresh worker may succeed.
  package var mayPass: Bool {
    switch self {
    case .plugin, .refused, .notStarted, .uncountedThreads, .changed, .cancelled, .notMine, .otherHeader,
      .emptyFile:
      false
    case .ended, .fault, .closed, .garbled, .late, .lateAgain: true
    }
  }

  /// Whether the library itself caused the failure, and would cause it every time. The end of the worker does not prove
  /// this, because the worker may have been killed, or may have lacked memory or descriptors. Nor does a fault at a low
  /// address, because a failed allocation may have left a null pointer.
  var isOfLibrary: Bool {
    switch self {
    case .fault(.memory(_, _, let address)): address >= 1 << 16
    case .fault(.forbiddenCall), .late, .lateAgain: true
    case .plugin, .ended, .closed, .garbled, .refused, .notStarted, .uncountedThreads, .changed, .cancelled, .notMine,
      .otherHeader, .emptyFile:
      false
    }
  }
}

extension CallFailure: CustomStringConvertible {
  /// The rest of a sentence that starts with the plugin's name.
  package var description: String {
    switch self {
    case .plugin(""): "failed without saying why"
    case .plugin(let text): text
    case .ended(.signal(let signal)): "crashed (\(Self.name(of: signal)))"
    case .ended(.exit(let code)): "ended its process with status \(code) in the middle of its work"
    case .fault(let fault): fault.description
    case .closed: "closed its connection without an answer and was stopped"
    case .garbled: "sent an invalid answer and was stopped"
    case .late(let overrun): "did not answer within \(Self.text(overrun)) and was stopped"
    case .lateAgain(let overrun): "did not answer within \(Self.text(overrun)) in either of two tries and was stopped"
    case .refused(let refusal): refusal.description
    case .notStarted(let words): "could not be started: \(words)"
    case .uncountedThreads:
      "needs more threads than the \(ThreadWarden.mostThreads) that a plugin may start in all where /proc is not mounted,"
        + " which counts those that run; mount it: mount -t proc proc /proc"
    case .changed: "changed on disk while the script ran; run it again"
    case .cancelled: "was cancelled"
    case .notMine: "does not read this file"
    case .otherHeader: "described the picture differently before"
    case .emptyFile: "gave an empty file"
    }
  }

  /// Returns the common name of a signal that ends a process.
  private static func name(of signal: Int32) -> String {
    switch signal {
    case SIGSEGV: "segmentation fault"
    case SIGBUS: "bus error"
    case SIGABRT: "it aborted itself"
    case SIGILL: "illegal instruction, or a check of its own that failed"
    case SIGTRAP: "a check of its own that failed"
    case SIGFPE: "division by zero"
    case SIGSYS: "forbidden system call"
    case SIGKILL: "killed by another process or for lack of memory"
    default: "signal \(signal)"
    }
  }

  private static func text(_ overrun: CallTime.Overrun) -> String {
    switch overrun {
    case .computing(let limit): "\(text(limit)) of processor time"
    case .idle(let limit): "\(text(limit)) of waiting"
    }
  }

  /// Returns a duration in seconds, such as `30 s` or `0.25 s`.
  private static func text(_ duration: Duration) -> String {
    let (seconds, fraction) = duration.components
    let tenths = fraction / 10_000_000_000_000_000
    guard tenths > 0 else { return "\(seconds) s" }
    let digits = tenths % 10 == 0 ? "\(tenths / 10)" : (tenths < 10 ? "0" : "") + "\(tenths)"
    return "\(seconds).\(digits) s"
  }
}
