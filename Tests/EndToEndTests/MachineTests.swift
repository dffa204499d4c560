import Foundation
import Testing

/// The facts about the machine that the program detects, under limits from outside.
@Suite struct MachineTests {
  private static let taskset = "/usr/bin/taskset"

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: taskset), "there is no taskset here"))
  func oneProcessorIsOneWorker() throws {
    let outcome = try Command(
      program: Self.taskset, arguments: ["-c", "0", Built.program("imghost"), "info", "--machine"],
      folder: NSTemporaryDirectory()
    ).run()
    outcome.expect(status: 0)
    let rows = outcome.outputLines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(rows.contains("workers 1"), "\(outcome)")
    #expect(rows.contains("affinity 1"), "\(outcome)")
  }
}
