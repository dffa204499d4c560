import Synchronization
import Testing

@testable import Platform

/// Threads that sync files at a time share batches.
@Suite struct SyncQueueTests {
  /// Five threads come while a sync lasts: one batch serves them, and syncs the file that two of them hand in once.
  @Test func threadsShareABatch() throws {
    let files = (0..<5).map { makeMemoryFile("\($0)") }
    defer { for file in files { close(file) } }
    let log = Monitor<[String]>([])
    let isOpen = Monitor(false)
    let queue = SyncQueue { file in
      log.withLock { $0.append("begin \(file)") }
    } sync: { file in
      log.withLock { $0.append("sync \(file)") }
      log.notifyAll()
      if file == files[0] { _ = isOpen.wait { $0 ? true : nil } }
      return file == files[3] ? EIO : 0
    }
    let ended = Monitor<[Int: Int32]>([:])
    let handedIn = [[files[0]], [files[1]], [files[2], files[1]], [files[3]], [files[4]], [files[4], files[3]]]
    func start(_ number: Int) throws {
      let isStarted = startThread {
        let code = queue.wait(for: handedIn[number])
        ended.withLock { $0[number] = code }
        ended.notifyAll()
      }
      try #require(isStarted)
    }
    try start(0)
    _ = log.wait { $0.contains("sync \(files[0])") ? true : nil }
    for number in 1..<handedIn.count { try start(number) }
    while queue.waitingCount < handedIn.count - 1 { usleep(1_000) }
    isOpen.withLock { $0 = true }
    isOpen.notifyAll()
    let codes = ended.wait { $0.count == handedIn.count ? $0 : nil }
    #expect(codes == [0: 0, 1: 0, 2: 0, 3: EIO, 4: 0, 5: EIO])
    let lines = log.withLock { $0 }
    #expect(lines.filter { $0.hasPrefix("sync") }.sorted() == files.map { "sync \($0)" }.sorted())
    // The system writes all files of a batch before the first is waited for.
    let firstOfBatch = try #require(lines.firstIndex { $0.hasPrefix("sync") && $0 != "sync \(files[0])" })
    #expect(lines[firstOfBatch...].allSatisfy { $0.hasPrefix("sync") })
  }

  @Test func tellsOfFilesThatCannotBeSynced() {
    #expect(SyncQueue().wait(for: [-1]) == EBADF)
    let memory = makeMemoryFile("a")
    defer { close(memory) }
    #expect(SyncQueue().wait(for: [memory]) == 0)
  }
}
