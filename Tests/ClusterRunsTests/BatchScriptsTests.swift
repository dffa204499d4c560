import Platform
import Testing

@testable import ClusterRuns

struct BatchScriptsTests {
  /// Returns a cluster with a program that prints its words, each in brackets, and exits with a status.
  private func cluster(status: Int) throws -> FakeCluster {
    let cluster = try FakeCluster()
    try cluster.program("im'g host", "#!/bin/sh\nprintf '[%s]' \"$@\"\nexit \(status)\n")
    return cluster
  }

  private func record(_ cluster: FakeCluster, stops: Bool = true) -> RunRecord {
    .example(folder: cluster.path) {
      $0.program = cluster.path + "/im'g host"
      $0.workingFolder = cluster.path
      $0.script = "my\nbook's.lua"
      $0.arguments = ["$(touch bad)", "", "'\u{301};touch bad", "--shard"]
      $0.words = ["--out=a b", "--set=title=it's"]
      $0.stopsAtFailure = stops
    }
  }

  @Test func everyWordArrives() throws {
    let cluster = try cluster(status: 0)
    try cluster.write("job.sh", BatchScripts(record(cluster)).job)
    let (output, ending) = try cluster.run(
      cluster.path + "/job.sh", environment: ["SLURM_CPUS_ON_NODE=2"])
    #expect(
      output == "[run][--shard][auto/4][--out=a b][--set=title=it's][--jobs=2][--memory=256M][--][my\nbook's.lua]"
        + "[$(touch bad)][]['\u{301};touch bad][--shard]")
    #expect(ending == .exit(0) && cluster.read("bad").isEmpty)
  }

  /// Slurm reads options up to the first line that is not a comment, so a script's name must not begin a line.
  @Test func optionsComeFirst() throws {
    let cluster = try cluster(status: 0)
    let lines = BatchScripts(record(cluster)).job.split(separator: "\n", omittingEmptySubsequences: false)
    let head = lines.prefix { $0.hasPrefix("#") }
    #expect(lines[head.count] == "")
    for option in ["--array=0-3", "--requeue", "--job-name=imghost-book-1", "--output=logs/shard-%a.log"] {
      #expect(head.contains("#SBATCH \(option)"[...]))
    }
  }

  static let endings: [(status: Int, stops: Bool, expected: Int32)] = [
    (0, true, 0), (1, true, 1), (3, true, 3), (0, false, 0), (1, false, 0), (3, false, 3),
  ]

  /// With `--on-error continue` the merge starts even if pictures failed.
  @Test(arguments: endings)
  func statusOfShard(_ row: (status: Int, stops: Bool, expected: Int32)) throws {
    let cluster = try cluster(status: row.status)
    try cluster.write("job.sh", BatchScripts(record(cluster, stops: row.stops)).job)
    #expect(try cluster.run(cluster.path + "/job.sh").1 == .exit(row.expected))
  }

  @Test(arguments: [0, 4])
  func mergeLeavesItsStatus(_ status: Int) throws {
    let cluster = try cluster(status: status)
    try cluster.write("merge.sh", BatchScripts(record(cluster)).merge)
    let (output, ending) = try cluster.run(cluster.path + "/merge.sh")
    #expect(
      output.hasPrefix("[merge][--shards=\(record(cluster).division.shards)][--out=a b]")
        && ending == .exit(Int32(status)))
    #expect(RunFolder(path: cluster.path).mergeStatus == Int32(status))
  }

  /// A job that is cancelled while its shell starts imghost may signal the shell alone. imghost must not outlive it: Slurm
  /// finds the processes of a job by its shell.
  @Test(arguments: ["job.sh", "merge.sh"])
  func shellWaitsForImghost(_ script: String) throws {
    let cluster = try FakeCluster()
    let isRunning = "grep -q '^State:[[:space:]]*[RSD]' /proc/$PPID/status && printf running"
    try cluster.program("im'g host", "#!/bin/sh\nkill -TERM $PPID\nsleep 0.1\n\(isRunning)\nexit 0\n")
    let scripts = BatchScripts(record(cluster, stops: false))
    try cluster.write(script, script == "job.sh" ? scripts.job : scripts.merge)
    let (output, ending) = try cluster.run(cluster.path + "/" + script)
    #expect(output == "running" && ending == .exit(143))
    #expect(RunFolder(path: cluster.path).mergeStatus == nil)
  }

  /// With `--on-error stop` nothing follows imghost in the script, so it takes the place of the shell.
  @Test func imghostReplacesTheShell() throws {
    let cluster = try FakeCluster()
    try cluster.program("im'g host", "#!/bin/sh\nprintf %s $$\n")
    let job = BatchScripts(record(cluster)).job
    try cluster.write("job.sh", job.replacing("\ncd --", with: "\nprintf '%s ' $$\ncd --", maxReplacements: 1))
    let processes = try cluster.run(cluster.path + "/job.sh").0.split(separator: " ")
    #expect(processes.count == 2 && processes[0] == processes[1])
  }

  /// A controller that has lost its state may start the jobs of a finished run again, and these must not leave
  /// manifests.
  @Test func finishedRunStaysAsItIs() throws {
    let cluster = try cluster(status: 3)
    try cluster.write("job.sh", BatchScripts(record(cluster)).job)
    try cluster.write("merge.sh", BatchScripts(record(cluster)).merge)
    try cluster.write(RunFolder.mergeStatus, "0\n")
    for script in ["job.sh", "merge.sh"] {
      let (output, ending) = try cluster.run(cluster.path + "/" + script)
      #expect(output.isEmpty && ending == .exit(0))
    }
    #expect(RunFolder(path: cluster.path).mergeStatus == 0)
  }

  @Test func staging() throws {
    let cluster = try cluster(status: 0)
    var record = record(cluster)
    record.command.isStaged = true
    try cluster.write("job.sh", BatchScripts(record).job)
    let output = try cluster.run(cluster.path + "/job.sh", environment: ["TMPDIR=/local disk"]).0
    #expect(output.contains("[--stage=/local disk]"))
  }

  @Test func missingFolderFails() throws {
    let cluster = try cluster(status: 0)
    var record = record(cluster)
    record.command.workingFolder = cluster.path + "/gone"
    try cluster.write("job.sh", BatchScripts(record).job)
    #expect(try cluster.run(cluster.path + "/job.sh").1 == .exit(1))
  }
}
