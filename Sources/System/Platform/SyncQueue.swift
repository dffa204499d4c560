/// Syncs files and folders to the disk, in batches that combine the requests of several threads.
///
/// Each sync makes the file system write its journal, which takes as long for many files as for one. So while one
/// thread syncs, the requests of other threads are collected, and the next thread handles all of them: it asks the
/// system to begin writing all files, then waits for each. A file or folder that several threads requested is synced
/// once. PostgreSQL does the same at a checkpoint.
public final class SyncQueue: Sendable {
  private struct State {
    var waiting: [(number: Int, descriptors: [Int32])] = []
    /// The results of finished requests by their numbers, until the waiting threads take them.
    var codes: [Int: Int32] = [:]
    var isBusy = false
    var next = 0
  }
  private let state = Monitor(State())
  private let begin: @Sendable (Int32) -> Void
  private let sync: @Sendable (Int32) -> Int32

  /// - Parameters:
  ///   - begin: asks the system to begin writing a file.
  ///   - sync: waits until a file is on the disk; returns 0 or the value of `errno`.
  public init(
    begin: @escaping @Sendable (Int32) -> Void = beginSync,
    sync: @escaping @Sendable (Int32) -> Int32 = syncFile
  ) {
    (self.begin, self.sync) = (begin, sync)
  }

  /// Waits until all of the files and folders are on the disk. Returns 0, or the value of `errno`.
  public func wait(for descriptors: [Int32]) -> Int32 {
    let number = state.withLock { state in
      state.next += 1
      state.waiting.append((state.next, descriptors))
      return state.next
    }
    while true {
      enum Turn {
        case done(Int32)
        case batch([(number: Int, descriptors: [Int32])])
      }
      let turn = state.wait { state -> Turn? in
        if let code = state.codes.removeValue(forKey: number) { return .done(code) }
        guard !state.isBusy else { return nil }
        defer { (state.waiting, state.isBusy) = ([], true) }
        return .batch(state.waiting)
      }
      switch turn {
      case .done(let code): return code
      case .batch(let batch):
        let codes = self.codes(of: batch.map(\.descriptors))
        state.withLock { state in
          for (ticket, code) in zip(batch, codes) { state.codes[ticket.number] = code }
          state.isBusy = false
        }
        state.notifyAll()
      }
    }
  }

  /// The number of threads that wait for the next batch.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Syncs the files of a batch of requests, and returns the result of each request.
  private func codes(of batch: [[Int32]]) -> [Int32] {
    struct File: Hashable {
      let device, inode: UInt64
    }
    var known: [File: Int32] = [:]
    for descriptor in batch.joined() { begin(descriptor) }
    return batch.map { descriptors in
      var failure: Int32 = 0
      for descriptor in descriptors {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
          failure = errno
          continue
        }
        let file = File(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
        let code = known[file] ?? sync(descriptor)
        known[file] = code
        if code != 0 { failure = code }
      }
      return failure
    }
  }
}
