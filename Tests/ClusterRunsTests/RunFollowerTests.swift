import Testing

@testable import ClusterRuns

/// Following a run whose clock is advanced by the test.
struct RunFollowerTests {
  /// The state of cluster and files, which changes at given times.
  private final class World {
    var time = 0.0
    var reports: [Int: ShardReport] = [:]
    var tasks: [QueuedTask]? = [World.task(0, "RUNNING")]
    var mergeStatus: Int32?
    var events: [(at: Double, change: (World) -> Void)] = []
    var notes: [String] = []
    var lines: [String] = []
    var queueLooks: [Double] = []

    static func task(_ index: Int?, _ state: String, _ reason: String = "None") -> QueuedTask {
      let name = index == nil ? "imghost-book-1-merge" : "imghost-book-1"
      return QueuedTask(line: "\(name)|7|\(index.map(String.init) ?? "N/A")|\(state)|\(reason)")!
    }

    func sleep(_ seconds: Double) {
      time += seconds
      while let next = events.first, next.at <= time {
        events.removeFirst()
        next.change(self)
      }
      precondition(time < 10_000, "the run does not end")
    }

    func follow(stops: Bool = true) -> RunSnapshot {
      var surroundings = RunFollower.Surroundings(
        now: { self.time }, sleep: { self.sleep($0) },
        tasks: { () throws(SlurmError) in
          self.queueLooks.append(self.time)
          guard let tasks = self.tasks else { throw .unreachable("connect failure") }
          return tasks
        }, reports: { self.reports }, mergeStatus: { self.mergeStatus })
      surroundings.note = { self.notes.append($0) }
      surroundings.progress = { if self.lines.last != $0 { self.lines.append($0) } }
      return RunFollower(.example { $0.stopsAtFailure = stops }, surroundings).follow()
    }
  }

  private static let allDone = Dictionary(uniqueKeysWithValues: (0..<4).map { ($0, ShardReport(status: 0)) })

  @Test func endsWithTheMerge() {
    let world = World()
    world.events = [
      (3, { $0.reports = [1: ShardReport(status: 0)] }), (6, { $0.reports = Self.allDone }),
      (8, { $0.mergeStatus = 4 }),
    ]
    #expect(world.follow().verdict(stopsAtFailure: true) == .merged(status: 4))
    #expect(world.lines.contains { $0.contains("1/4 shards, 10/40 pictures") })
    #expect(world.lines.contains { $0.contains("4/4 shards, merging, 40/40 pictures") })
    #expect(world.lines.last == "" && world.notes.isEmpty)
  }

  /// A controller that was killed has forgotten the jobs, but all files are complete.
  @Test func filesCountMoreThanTheQueue() {
    let world = World()
    world.tasks = nil
    world.events = [(30, { $0.reports = Self.allDone }), (60, { $0.mergeStatus = 0 })]
    #expect(world.follow().verdict(stopsAtFailure: true) == .merged(status: 0))
    #expect(world.notes.count == 1 && world.notes[0].contains("connect failure"))
  }

  @Test func lostJobsAreNoticed() {
    let world = World()
    world.events = [
      (3, { $0.reports = [0: ShardReport(status: 0), 2: ShardReport(status: 0)] }), (20, { $0.tasks = [] }),
    ]
    #expect(world.follow().verdict(stopsAtFailure: true) == .lostShards([1, 3]))
    #expect(world.time < 60)
  }

  /// The last file of a job may become visible after the job has left the queue.
  @Test func lateFilesAreAwaited() {
    let world = World()
    world.reports = Self.allDone
    world.tasks = []
    world.events = [(2, { $0.mergeStatus = 0 })]
    #expect(world.follow().verdict(stopsAtFailure: true) == .merged(status: 0))
  }

  @Test func lostMerge() {
    let world = World()
    world.reports = Self.allDone
    world.tasks = []
    #expect(world.follow().verdict(stopsAtFailure: true) == .lostMerge)
  }

  /// The queue knows for some minutes how tasks have ended.
  @Test(arguments: [
    ([0, 1, 2, 3], true, [] as [Int]?), ([0, 1, 2], true, nil), ([0, 1, 2], false, [3]), ([], false, [0, 1, 2, 3]),
  ])
  func forgottenJobs(_ done: [Int], _ knowsLast: Bool, _ expected: [Int]?) {
    let world = World()
    world.reports = Self.allDone.filter { done.contains($0.key) }
    world.tasks = (done + (knowsLast ? [3] : [])).map { World.task($0, $0 == 3 ? "FAILED" : "COMPLETED") }
    #expect(world.follow().forgottenShards(of: .example()) == expected)
  }

  /// An array that was cancelled before it began has one entry for all of its tasks.
  @Test func cancelledArray() {
    let world = World()
    world.tasks = [QueuedTask(line: "imghost-book-1|7|N/A|CANCELLED|BeginTime")!]
    let snapshot = world.follow()
    #expect(snapshot.verdict(stopsAtFailure: true) == .lostShards([0, 1, 2, 3]))
    #expect(snapshot.forgottenShards(of: .example()) == nil)
  }

  /// A merge that has ended without its status is not forgotten.
  @Test func endedMerge() {
    let world = World()
    world.reports = Self.allDone
    world.tasks = [World.task(nil, "FAILED")]
    let snapshot = world.follow()
    #expect(snapshot.verdict(stopsAtFailure: true) == .lostMerge && snapshot.forgottenShards(of: .example()) == nil)
  }

  /// The merge of an array that failed may stay in the queue for ever.
  @Test func orphanedMerge() {
    let world = World()
    world.tasks = [World.task(nil, "PENDING", "DependencyNeverSatisfied")]
    #expect(world.follow().verdict(stopsAtFailure: true) == .lostShards([0, 1, 2, 3]))
  }

  @Test(arguments: [(1, true, true), (1, false, false), (3, false, true), (2, true, true)])
  func failedShard(_ status: Int32, _ stops: Bool, _ ends: Bool) {
    let world = World()
    world.events = [
      (3, { $0.reports = [1: ShardReport(status: status)] }), (50, { $0.mergeStatus = 1 }),
    ]
    #expect(world.follow(stops: stops).verdict(stopsAtFailure: stops) == (ends ? .failed : .merged(status: 1)))
    #expect((world.time < 10) == ends)
  }

  @Test func waitingIsShownAndHeldJobsAreNoted() {
    let world = World()
    world.tasks = [World.task(0, "PENDING", "Resources")]
    world.events = [
      (20, { $0.tasks = [World.task(0, "PENDING", "PartitionTimeLimit")] }), (90, { $0.mergeStatus = 0 }),
    ]
    _ = world.follow()
    #expect(world.lines.contains { $0.contains("waiting in the queue (Resources)") })
    #expect(world.notes.count == 1 && world.notes[0].contains("PartitionTimeLimit"))
  }

  /// The queue's answers from before the end of a shard are outdated and not shown.
  @Test func oldNewsIsNotShown() {
    let world = World()
    world.tasks = [World.task(0, "PENDING", "Resources")]
    world.events = [(0.5, { $0.reports = [0: ShardReport(status: 0)] }), (1, { $0.mergeStatus = 0 })]
    _ = world.follow()
    #expect(world.lines.filter { $0.contains("waiting") }.allSatisfy { $0.contains("0/4 shards") })
    #expect(world.lines.contains { $0.contains("1/4 shards, 10/40 pictures") })
  }

  /// The queue must not be polled too often: 1,000 times in four hours would be too much.
  @Test func queueIsAskedSeldom() {
    let world = World()
    world.events = [(600, { $0.mergeStatus = 0 })]
    _ = world.follow()
    #expect(world.queueLooks.count < 60)
    let gaps = zip(world.queueLooks, world.queueLooks.dropFirst()).map { $1 - $0 }
    #expect(gaps.max()! <= 16)
  }

  @Test(arguments: [([], ""), ([3], "3"), ([0, 1, 2], "0-2"), ([0, 2, 3, 7], "0,2-3,7")])
  func arrays(_ shards: [Int], _ expected: String) { #expect(arrayText(shards) == expected) }
}
