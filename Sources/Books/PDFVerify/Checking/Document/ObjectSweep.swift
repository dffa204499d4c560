import Platform
import Synchronization

/// Checks that every object of a file can be read and ends correctly, even if no page uses it.
struct ObjectSweep {
  let file: PDFFile
  let watchdog: Watchdog

  /// The faults in the order of the objects.
  struct Result: Sendable {
    var faults: [Fault] = []
    /// Faults of streams with a wrong length, by the stream's object.
    var lengths: [Int: Fault] = [:]
  }
  /// The maximum number of faults that are reported individually.
  static let maximum = 8
  /// The number of objects that a thread checks before it releases memory and takes further objects.
  private static let share = 512

  func run(jobs: Int) -> Result {
    let shares = file.objectCount / Self.share + 1
    let next = Atomic(0)
    let found = Mutex<[Int: Result]>([:])
    let body: @Sendable (Int) -> Void = { worker in
      defer { watchdog.end(worker: worker) }
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < shares, !watchdog.hasGivenUp else { return }
        watchdog.begin(0, worker: worker)
        let result = sweep(index * Self.share + 1...(index + 1) * Self.share)
        if !result.faults.isEmpty || !result.lengths.isEmpty { found.withLock { $0[index] = result } }
        file.mapping.release()
      }
    }
    runOnThreads((1...max(1, min(jobs, shares))).map { worker in { body(worker) } })
    return Self.joined(found.withLock { $0.sorted { $0.key < $1.key }.map(\.value) })
  }

  private static func joined(_ results: [Result]) -> Result {
    var result = Result()
    for part in results {
      result.faults += part.faults
      result.lengths.merge(part.lengths) { first, _ in first }
    }
    let count = result.faults.count
    if count > maximum {
      result.faults.removeSubrange(maximum...)
      result.faults.append(.structure(.more(count - maximum)))
    }
    return result
  }

  private func sweep(_ numbers: ClosedRange<Int>) -> Result {
    var result = Result()
    for number in numbers where file.exists(number) {
      guard let object = file.object(number) else {
        // Missing object streams, and objects missing in them, were already reported when the file was opened.
        if file.isInFile(number) { result.faults.append(.structure(.unreadable(number), isError: true)) }
        continue
      }
      result.lengths[number] = object.streamFault
      result.faults += object.mended.map { .structure($0, isError: $0.isAmbiguous) }
      guard let end = object.end else { continue }
      var lexer = PDFLexer(file.bytes, at: end)
      if !lexer.accept("endobj") { result.faults.append(.structure(.endOfObject(number))) }
    }
    return result
  }
}
