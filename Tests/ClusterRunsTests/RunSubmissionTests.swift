import Testing

@testable import ClusterRuns

struct RunSubmissionTests {
  private func make(_ cluster: FakeCluster) throws -> (RunSubmission, RunRecord, RunFolder) {
    let folder = try RunFolder.make(RunName("book-1")!, in: cluster.path + "/runs")
    return (RunSubmission(cluster.queue, in: folder), .example(folder: folder.path), folder)
  }

  @Test func mergeDependsOnArray() throws {
    let cluster = try FakeCluster()
    try cluster.write("sbatch.1.out", "41\n")
    try cluster.write("sbatch.2.out", "42\n")
    let (submission, record, folder) = try make(cluster)
    let submitted = try submission.submit(record)
    #expect(submitted.arrayJob == "41" && submitted.mergeJob == "42")
    let calls = cluster.calls("sbatch")
    #expect(calls.count == 2 && calls[0].last == folder.file("job.sh") && calls[1].last == folder.file("merge.sh"))
    #expect(!calls[0].contains { $0.hasPrefix("--array") })
    #expect(calls[1].contains("--dependency=afterok:41") && calls[1].contains("--kill-on-invalid-dep=yes"))
  }

  @Test func onlySomeShards() throws {
    let cluster = try FakeCluster()
    try cluster.write("sbatch.out", "41\n")
    let (submission, record, _) = try make(cluster)
    _ = try submission.submit(record, shards: [0, 2, 3])
    #expect(cluster.calls("sbatch")[0].contains("--array=0,2-3"))
  }

  @Test func onlyTheMerge() throws {
    let cluster = try FakeCluster()
    try cluster.write("sbatch.out", "41\n")
    let (submission, record, folder) = try make(cluster)
    try folder.write(RunFolder.mergeStatus, "1\n")
    let submitted = try submission.submit(record, shards: [])
    let calls = cluster.calls("sbatch")
    #expect(submitted.arrayJob == nil && submitted.mergeJob == "41" && folder.mergeStatus == nil)
    #expect(calls.count == 1 && !calls[0].contains { $0.hasPrefix("--dependency") })
  }

  @Test func refusedMergeCancelsTheArray() throws {
    let cluster = try FakeCluster()
    try cluster.write("sbatch.1.out", "41\n")
    let (submission, record, _) = try make(cluster)
    #expect(throws: RunSubmission.Failure.self) { try submission.submit(record) }
    #expect(cluster.calls("scancel") == [["--name=imghost-book-1-merge"], ["--name=imghost-book-1"]])
  }
}
