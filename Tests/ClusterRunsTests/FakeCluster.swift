import ImageCore
import Platform

import Sharding

@testable import ClusterRuns

/// A folder for one test, with scripts in place of Slurm's programs. The folder is removed with the object.
final class FakeCluster {
  let path: String

  init() throws {
    var template = Array("/tmp/imghost-cluster-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw FileError(.create, path: "/tmp", code: errno) }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    for name in ["sbatch", "squeue", "scancel"] { try program(name, Self.script) }
  }

  deinit { _ = try? ChildProcess("rm", ["-rf", path]).wait() }

  var queue: SlurmQueue { SlurmQueue(SlurmPrograms(in: path)) }

  /// Appends its words to `NAME.words`, and prints the first existing file of `NAME.N.out` and `NAME.out`, where N
  /// counts the calls from 1. If there is a file `NAME.err`, it prints that to standard error and fails.
  private static let script = """
    #!/bin/sh
    name=$0
    for word; do printf '%s\\n' "$word"; done >> "$name.words"
    echo -- >> "$name.words"
    calls=$(grep -c -x -e -- "$name.words")
    if [ -f "$name.err" ]; then cat "$name.err" >&2; exit 1; fi
    if [ -f "$name.$calls.out" ]; then cat "$name.$calls.out"; elif [ -f "$name.out" ]; then cat "$name.out"; fi
    """

  func program(_ name: String, _ text: String) throws {
    try write(name, text)
    chmod(path + "/" + name, 0o755)
  }

  func write(_ name: String, _ text: String) throws { try RunFolder(path: path).write(name, text) }

  func read(_ name: String) -> String { (try? RunFolder(path: path).read(name)) ?? "" }

  /// Returns the words of each call of a program.
  func calls(_ name: String) -> [[String]] {
    read(name + ".words").split(separator: "\n", omittingEmptySubsequences: false).dropLast().split(separator: "--")
      .map { $0.map(String.init) }
  }

  /// Runs a script with the shell, and returns its output and its exit status.
  func run(_ script: String, environment: [String] = []) throws -> (String, ProcessEnding?) {
    let output = path + "/output"
    let process = try ChildProcess(
      "sh", [script], environment: ["PATH=/usr/bin:/bin"] + environment,
      descriptors: [.open(output, flags: O_WRONLY | O_CREAT | O_TRUNC, as: STDOUT_FILENO)])
    let ending = process.wait()
    return (read("output"), ending)
  }
}

extension RunRecord {
  /// Returns a run of 4 shards with 10 pictures each.
  static func example(folder: String = "/runs/book-1", change: (inout ClusterCommand) -> Void = { _ in }) -> RunRecord {
    var command = ClusterCommand()
    command.version = "0.1.0"
    command.script = "book.lua"
    command.workingFolder = "/"
    change(&command)
    return RunRecord(
      name: RunName("book-1")!, folder: folder, command: command,
      division: RunDivision(pictures: [10, 10, 10, 10]),
      identity: RunIdentity(version: "0.1.0 x", script: "book.lua", digest: "d", arguments: [], options: []))
  }
}
