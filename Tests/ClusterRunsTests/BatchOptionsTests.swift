import Testing

@testable import ClusterRuns

struct BatchOptionsTests {
  private func mistake(_ body: () throws(BatchOptions.Mistake) -> [String]) -> String? {
    do throws(BatchOptions.Mistake) {
      _ = try body()
      return nil
    } catch {
      return error.text
    }
  }

  @Test func fileOfOptions() throws {
    let text = "#!/bin/sh\n# Ours.\n\n#SBATCH --qos=long\n  --constraint=ib \r\n"
    #expect(try BatchOptions.furtherOptions(in: text, of: "site") == ["--qos=long", "--constraint=ib"])
  }

  @Test func otherLinesAreRefused() {
    #expect(
      mistake { () throws(BatchOptions.Mistake) in
        try BatchOptions.furtherOptions(in: "--qos=long\nmodule load x\n", of: "site")
      }
        == "site:2: expected '#SBATCH --option=value' or a comment")
  }

  /// Later lines win in Slurm.
  @Test func commandLineComesAfterFileAndPlan() {
    var options = BatchOptions()
    options.further = ["--partition=day", "--qos=long"]
    (options.partition, options.taskProcessors, options.predictedMemory) = ("night", 4, 100 << 20)
    #expect(
      options.lines == ["--mem=612M", "--partition=day", "--qos=long", "--partition=night", "--cpus-per-task=4"])
  }

  static let memories: [([String], Int?, [String])] = [
    ([], nil, ["--mem=1536M"]), ([], 2 << 30, ["--mem=2048M"]), (["--mem=9G"], nil, ["--mem=9G"]),
    (["--mem-per-cpu=1G"], nil, ["--mem-per-cpu=1G"]), (["--mem-per-cpu=1G"], 2 << 30, ["--mem=2048M"]),
    (["--mem 9G"], nil, ["--mem 9G"]), (["--mem-bind=local"], 2 << 30, ["--mem-bind=local", "--mem=2048M"]),
  ]

  @Test(arguments: memories)
  func memory(_ further: [String], _ own: Int?, _ expected: [String]) {
    var options = BatchOptions()
    (options.further, options.taskMemory, options.predictedMemory) = (further, own, 1 << 30)
    #expect(options.lines == expected)
  }

  /// A script of a million pictures takes as much in every shard as in the plan.
  @Test(arguments: [(100 << 20, "--mem=612M"), (1 << 30, "--mem=1764M")])
  func memoryOfTheScript(_ plan: Int, _ expected: String) {
    var options = BatchOptions()
    (options.predictedMemory, options.planMemory) = (100 << 20, plan)
    #expect(options.lines == [expected])
  }

  @Test(arguments: [(2 << 30, 1536 << 20), (512 << 20, 256 << 20)])
  func pictureMemoryIsLess(_ task: Int, _ expected: Int) {
    var options = BatchOptions()
    options.taskMemory = task
    #expect(options.pictureMemory == expected)
  }

  @Test(arguments: [("night,day", true), ("a b", false), ("", false), ("a\nb", false), ("a'b", false)])
  func plainWords(_ word: String, _ isPlain: Bool) { #expect(BatchOptions.isPlain(word) == isPlain) }
}
