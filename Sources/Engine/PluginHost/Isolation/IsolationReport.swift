import CProcesses
import ImageCore
import Platform

/// The isolation of plugins on this machine, as determined by a test.
package struct IsolationReport: Sendable, Equatable {
  /// The protections in effect: "processes", "shared memory sealed", "seccomp", …
  package let enforced: [String]
  /// The missing protections, with reasons: "Landlock: the kernel has none".
  package let missing: [String]

  /// The summary, such as `processes, shared memory sealed, seccomp, …`.
  package var summary: String {
    enforced.joined(separator: ", ") + (missing.isEmpty ? "" : "; missing: " + missing.joined(separator: "; "))
  }

  /// Creates the report for a worker that could not be started, or gave no valid answer.
  init(failure: CallFailure) {
    enforced = []
    missing = ["everything: a worker \(failure)"]
  }

  /// Reads the body of an `isolation` message.
  init(from body: inout WireReader) throws(WireError) {
    let (filter, landlock) = (try body.integer(Int32.self), try body.integer(Int32.self))
    let version = try body.integer(UInt32.self)
    let memory = try body.integer(UInt64.self)
    var outcomes: [Int32] = []
    for _ in Attempt.allCases { outcomes.append(try body.integer(Int32.self)) }
    try body.finish()
    var (enforced, missing) = (["processes"], [String]())
    func note(_ isEnforced: Bool, _ protection: String, otherwise gap: String) {
      if isEnforced { enforced.append(protection) } else { missing.append(gap) }
    }
    note(
      Self.isSealed, "shared memory sealed",
      otherwise: "seals of shared memory: F_SEAL_FUTURE_WRITE needs Linux 5.1")
    note(filter == 0, "seccomp", otherwise: "seccomp: " + systemText(filter))
    note(
      landlock == 0, "Landlock ABI \(version)",
      otherwise: "Landlock: \(version == 0 ? "the kernel has none" : systemText(landlock))"
        + (filter == 0 ? " (plugins read no files once they are loaded)" : ""))
    if outcomes.allSatisfy({ $0 == Attempt.untried }) {
      missing.append("everything else: \(Self.probeName) could not be loaded")
    }
    for (attempt, outcome) in zip(Attempt.allCases, outcomes) where outcome != Attempt.untried {
      let (protection, gap) = attempt.words(memory)
      note(outcome != 0, protection, otherwise: gap)
    }
    self.enforced = enforced + ["no core dumps"]
    self.missing = missing
  }

  /// The library whose constructor attempts what plugins must not do; it is next to the worker program.
  static let probeName = "libimghost-isolation-probe.so"

  package static var attemptCount: Int { Attempt.allCases.count }

  /// The attempts, in the order of `isolation_probe.h`.
  private enum Attempt: CaseIterable {
    case writeFile, readFile, host, capabilities, socket, process, signal, memory, sharedMemory, threads

    static let untried: Int32 = -2

    /// Returns the name of the protection that a failed attempt proves, and the gap that a successful one reveals.
    func words(_ memory: UInt64) -> (protection: String, gap: String) {
      switch self {
      case .writeFile: ("no files written", "plugins can write files")
      case .readFile:
        (
          "none read but a plugin's own, its libraries, fonts and machine facts",
          "constructors of plugins can read files"
        )
      case .host: ("nothing of the host's memory", "plugins can read the host's memory")
      case .capabilities: ("no capabilities", "plugins keep capabilities")
      case .socket: ("no network", "plugins can use the network")
      case .process: ("no other programs", "plugins can start programs")
      case .signal: ("no signals to others", "plugins can send signals")
      case .memory: ("at most \(((memory >> 29) + 1) >> 1) GB of memory", "plugins can take all memory")
      case .sharedMemory: ("none shared", "plugins can take all memory as shared memory")
      case .threads:
        ("at most \(ThreadWarden.mostThreads) threads", "plugins can start any number of threads")
      }
    }
  }

  /// Whether memory that `shim_seal_future_writes` has sealed can neither be mapped for writing nor be shrunk.
  private static var isSealed: Bool {
    let size = SharedLayout.flagByteCount
    let descriptor = shim_shared_memory("imghost-probe", size)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    shim_seal_future_writes(descriptor)
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard memory == MAP_FAILED else {
      munmap(memory, size)
      return false
    }
    return ftruncate(descriptor, 0) != 0
  }
}

extension WorkerLauncher {
  /// Starts `program` as a worker with a library that tries everything that plugins must not do, and returns the
  /// results.
  static func probe(program: String) -> IsolationReport {
    do throws(CallFailure) {
      let worker: WorkerProcess
      do throws(FileError) {
        let folder = PathName.folder(program).map { $0 + "/" } ?? ""
        let library = folder + IsolationReport.probeName
        worker = try WorkerProcess(
          program: program, arguments: ["isolation", library],
          variables: [ReadableFiles(library: library).assignment])
      } catch {
        throw .notStarted("\(error.path): \(error)")
      }
      let conversation = Conversation(
        worker: worker, number: 0, timeLimit: .seconds(10), isCancelled: { false },
        onLog: { _, _ in }, onWait: {}, onCancel: {})
      var (kind, body) = try conversation.answer()
      worker.end()
      guard kind == .isolation, let report = try? IsolationReport(from: &body) else { throw .garbled }
      return report
    } catch {
      return IsolationReport(failure: error)
    }
  }
}
