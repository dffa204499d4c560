import Testing

@testable import ClusterRuns

struct SlurmQueueTests {
  private func error(_ body: () throws -> Void) -> SlurmError? {
    do { try body() } catch { return error as? SlurmError }
    return nil
  }

  private func submit(_ cluster: FakeCluster, _ words: [String] = []) throws -> String {
    try cluster.queue.submit(
      SlurmQueue.Request(jobName: "imghost-book-1", script: "job.sh", words: words),
      in: RunFolder(path: "/runs/a b"))
  }

  @Test(arguments: [("12\n", "12"), ("12;main\n", "12"), ("welcome\n12\n", "12"), ("Submitted batch job 12\n", "12")])
  func numberOfJob(_ answer: String, _ expected: String) throws {
    let cluster = try FakeCluster()
    try cluster.write("sbatch.out", answer)
    #expect(try submit(cluster, ["--array=1,3"]) == expected)
    #expect(
      cluster.calls("sbatch") == [
        [
          "--parsable", "--requeue", "--job-name=imghost-book-1", "--chdir=/runs/a b", "--array=1,3",
          "/runs/a b/job.sh",
        ]
      ])
  }

  @Test func strangeAnswer() throws {
    let cluster = try FakeCluster()
    try cluster.write("sbatch.out", "Submitted\n")
    #expect(error { _ = try submit(cluster) } == .unexpectedAnswer("sbatch", "Submitted\n"))
  }

  @Test func missingProgram() {
    let queue = SlurmQueue(SlurmPrograms(in: "/nowhere"))
    #expect(error { _ = try queue.tasks(named: ["a"]) } == .missingProgram("squeue"))
  }

  static let refusals: [(String, String)] = [
    (
      "sbatch: error: invalid partition specified: night\n"
        + "sbatch: error: Batch job submission failed: Invalid partition name specified\n",
      "Slurm refused the job: Invalid partition name specified; choose one that 'sinfo' lists with --partition"
    ),
    (
      "sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified\n",
      "Slurm refused the job: Invalid account or account/partition combination specified; choose one of yours with "
        + "--account; 'sacctmgr show associations user=$USER' lists them"
    ),
    (
      "sbatch: error: Batch job submission failed: Invalid job array specification\n",
      "Slurm refused the job: Invalid job array specification; give fewer --shards; 'scontrol show config' lists the "
        + "limit as MaxArraySize"
    ),
    (
      "sbatch: error: Memory specification can not be satisfied\n",
      "Slurm refused the job: Memory specification can not be satisfied; give a smaller --task-memory; "
        + "'sinfo --format=\"%P %m\"' lists the nodes' megabytes"
    ),
    (
      "sbatch: error: Unable to contact slurm controller (connect failure)\n",
      "Slurm does not answer: Unable to contact slurm controller (connect failure); try again when 'scontrol ping' "
        + "finds a controller"
    ),
    (
      "",
      "Slurm refused the job: no reason given; change the options of 'imghost submit', or the file of --sbatch"
    ),
  ]

  @Test(arguments: refusals)
  func refusal(_ errors: String, _ expected: String) throws {
    let cluster = try FakeCluster()
    try cluster.write("sbatch.err", errors)
    #expect(error { _ = try submit(cluster) }?.text == expected)
  }

  /// The controller accepted the job, but its answer came too late.
  @Test func lateAnswer() throws {
    let cluster = try FakeCluster()
    try cluster.write("sbatch.err", "sbatch: error: Batch job submission failed: Socket timed out on send/recv\n")
    try cluster.write("squeue.out", "imghost-book-1|77|0|PENDING|None\nimghost-book-1|77|1|PENDING|None\n")
    #expect(try submit(cluster) == "77")
    try cluster.write("squeue.out", "")
    #expect(error { _ = try submit(cluster) } == .unreachable("Socket timed out on send/recv"))
  }

  /// A job with our number and another name belongs to another user.
  @Test func tasksOfThisNameOnly() throws {
    let cluster = try FakeCluster()
    try cluster.write(
      "squeue.out",
      "imghost-book-1|7|3|RUNNING|None\nother|7|1|RUNNING|None\nimghost-book-1-merge|8|N/A|PENDING|Dependency\n")
    let tasks = try cluster.queue.tasks(named: ["imghost-book-1", "imghost-book-1-merge"])
    #expect(tasks.map(\.job) == ["7", "8"] && tasks.map(\.index) == [3, nil])
    #expect(tasks.map(\.isWaiting) == [false, true] && tasks.allSatisfy { !$0.isHeldBack })
  }

  @Test func cancelsByName() throws {
    let cluster = try FakeCluster()
    try cluster.queue.cancel(named: ["a", "b"])
    #expect(cluster.calls("scancel") == [["--name=a"], ["--name=b"]])
  }
}
