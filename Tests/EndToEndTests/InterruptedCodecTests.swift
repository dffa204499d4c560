import Foundation
import TestSupport
import Testing

/// Workers that are killed in the middle of a file, and files that change while a worker reads them.
@Suite(.wholeRuns) struct InterruptedCodecTests {
  /// A run of a script with a plugin that takes a fifth of a second for each strip, and tells so.
  private func start(_ folder: Folder, _ script: String) throws -> Command.Running {
    try folder.makeFolder("plugins")
    try Fixture.compile("oddcodec", [], to: folder("plugins/liboddPlugin.so"))
    try folder.write("slow.odd", "odd:slow")
    try folder.write("touch.odd", "odd:touch\n" + String(repeating: "x", count: 1 << 20))
    try folder.write("good.odd", "odd:good")
    let good = "img.open(\"good.odd\"):save(\"good.png\")"
    try folder.write("t.lua", "local img = require \"imghost\"\n\(script)\n\(good)")
    let command = Command(
      arguments: ["run", "--on-error", "continue", "t.lua"], folder: folder.path,
      environment: ["IMGHOST_PLUGIN_PATH": folder("plugins")])
    return try command.start()
  }

  /// Waits until the plugin has told that it works on so many strips.
  private func wait(_ running: Command.Running, strips: Int, _ words: String) {
    let isThere = running.wait { running.soFar.components(separatedBy: words).count > strips }
    #expect(isThere, "\(running.soFar)")
  }

  private func killWorkers(of running: Command.Running) {
    for child in Processes.children(of: running.process.processIdentifier) { kill(child, SIGKILL) }
  }

  private static let killed = "plugin 'odd' crashed (killed by another process or for lack of memory)"

  @Test func killedWhileReading() throws {
    let folder = try Folder()
    let running = try start(folder, "img.open(\"slow.odd\"):save(\"slow.png\")")
    wait(running, strips: 2, "reads rows")
    killWorkers(of: running)
    let outcome = running.finish(within: 10)
    outcome.expect(status: 1, error: "open: slow.odd: \(Self.killed)")
    #expect(!folder.exists("slow.png") && folder.exists("good.png") && folder.temporaries.isEmpty)
  }

  /// Before any row has been used, another worker begins anew. It may be killed, too.
  @Test func killedAtTheFirstStrip() throws {
    let folder = try Folder()
    let running = try start(folder, "img.open(\"slow.odd\"):save(\"slow.png\")")
    wait(running, strips: 1, "reads rows")
    killWorkers(of: running)
    let outcome = running.finish(within: 10)
    #expect(folder.exists("slow.png") || outcome.error.contains("open: slow.odd: plugin 'odd' "), "\(outcome)")
    #expect(folder.exists("good.png") && folder.temporaries.isEmpty)
  }

  @Test func killedWhileWriting() throws {
    let folder = try Folder()
    let running = try start(folder, "img.canvas(200, 4000):save(\"out.odd\", { how = \"slow\" })")
    wait(running, strips: 2, "writes rows")
    killWorkers(of: running)
    let outcome = running.finish(within: 10)
    outcome.expect(status: 1, error: "save: out.odd: \(Self.killed)")
    #expect(!folder.exists("out.odd") && folder.exists("good.png") && folder.temporaries.isEmpty)
  }

  /// The worker gets a bus error where the file was.
  @Test func aFileThatShrinks() throws {
    let folder = try Folder()
    let running = try start(folder, "img.open(\"touch.odd\"):save(\"touch.png\")")
    wait(running, strips: 2, "reads rows")
    truncate(folder("touch.odd"), 100)
    let outcome = running.finish(within: 10)
    let words = "open: touch.odd: damaged file (it changed while the script ran)"
    outcome.expect(status: 1, error: words)
    #expect(!folder.exists("touch.png") && folder.exists("good.png") && folder.temporaries.isEmpty)
  }

  /// A file that another program replaces is read to its end: the open one stays.
  @Test func aFileThatIsReplaced() throws {
    let folder = try Folder()
    let running = try start(folder, "img.open(\"touch.odd\"):save(\"touch.png\")")
    wait(running, strips: 2, "reads rows")
    try folder.write("new.odd", "odd:crash-read")
    rename(folder("new.odd"), folder("touch.odd"))
    let outcome = running.finish(within: 10)
    #expect(outcome.status == 0 && folder.exists("touch.png") && folder.exists("good.png"), "\(outcome)")
  }
}
