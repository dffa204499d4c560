import CommandInterface
import ImagePipeline
import Reporting

enum MergeCommand: Command {
  static let name = "merge"
  static let summary = "put together what the shards of a script have made"
  static let operands = "SCRIPT [ARGS…]"
  static let leavesRestToScript = true
  static let options =
    RunCommand.writing.filter { !(["--shard", "--stage", "--dry-run"] + RunCommand.ofWholeRuns).contains($0.name) } + [
      CommandOption(
        name: "--shards", value: "N", help: "the number of shards", defaultValue: "that of the manifests")
    ]
  static let details = """
    Run it after every 'imghost run --shard K/N' of the script has ended, with the same --out, --set,
    --on-error and ARGS. It checks what the shards have left in the hidden folder .imghost, writes
    the books, verifies them where asked, and calls the functions given to on_done. Then it removes
    the hidden folder, except for records that --only-changed asks for. Files and books have the same
    bytes as those of 'imghost run'.

    A missing or outdated shard is named with the command that runs it again; nothing is written then.

    Exit status: that of 'imghost run'.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    try RunReporter.check(line)
    _ = try line.count("--shards", atMost: ShardIndex.most)
    return try ScriptRunner.run(line, options: RunOptions(line), reporter: RunReporter(line), part: .merge)
  }
}
