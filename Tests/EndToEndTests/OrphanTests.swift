import Foundation
import Testing

/// All processes that one of our programs has started end when that program is killed.
@Suite struct OrphanTests {
  /// Stops the processes that a program has started, so that none ends by itself, and kills the program.
  ///
  /// - Parameter word: a word of their command lines.
  private func expectEnd(
    _ running: Command.Running, _ word: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var children: [Int32] = []
    let parent = running.process.processIdentifier
    let hasChild = running.wait {
      let own = Processes.commandLine(of: parent)
      children = Processes.children(of: parent).filter { child in
        let words = Processes.commandLine(of: child)
        // One that has the words of its parent has only just begun, and is not tied to it yet.
        return words != own && (word.isEmpty || words.contains(word))
      }
      return !children.isEmpty
    }
    #expect(hasChild, "\(running.soFar)", sourceLocation: sourceLocation)
    for child in children { kill(child, SIGSTOP) }
    running.send(SIGKILL)
    _ = running.finish(within: 10)
    for child in children {
      let isGone = running.wait { !Processes.isRunning(child) }
      #expect(isGone, sourceLocation: sourceLocation)
      if !isGone { kill(child, SIGKILL) }
    }
  }

  /// A run that calls a plugin.
  private func start(_ folder: Folder, _ macro: String, _ words: [String]) throws -> Command.Running {
    try Fixture.compile("misbehaving", [macro], to: folder("libodd.so"), options: ["-pthread"])
    try folder.copy(Built.photos + "/coffee.png", to: "a.png")
    return try Command(
      arguments: ["plugin", "run"] + words + ["odd", "a.png", "b.png"], folder: folder.path,
      environment: ["IMGHOST_PLUGIN_PATH": folder.path]
    ).start()
  }

  /// It blocks all signals, tries to cut the tie to the host, and computes on two threads, which nobody stops here.
  @Test func aWorkerThatRefusesEverySignal() throws {
    let folder = try Folder()
    let running = try start(folder, "STUBBORN", [])
    var worker: Int32 = 0
    let blocks = running.wait {
      worker = Processes.children(of: running.process.processIdentifier).first ?? 0
      let status = (try? String(contentsOfFile: "/proc/\(worker)/status", encoding: .utf8)) ?? ""
      let lines = status.split(separator: "\n")
      let isBlocking = lines.contains { $0.hasPrefix("SigBlk:\tffff") || $0.hasPrefix("SigBlk:\tfffe") }
      // A sanitizer has a thread of its own.
      return isBlocking && lines.contains { $0.hasPrefix("Threads:\t") && $0 != "Threads:\t1" }
    }
    #expect(blocks, "\(running.soFar)")
    running.send(SIGKILL)
    _ = running.finish(within: 10)
    #expect(running.wait { !Processes.isRunning(worker) })
  }

  @Test func aWorkerThatIsStopped() throws {
    let folder = try Folder()
    expectEnd(try start(folder, "HANG", []), "serve")
  }

  @Test(arguments: ["env", "sh -c 'sleep 0.01; exec \"$@\"' sh"])
  func aWorkerUnderACommand(_ command: String) throws {
    let folder = try Folder()
    expectEnd(try start(folder, "HANG", ["--worker-command", command]), "serve")
  }

  @Test func aVerifier() throws {
    let folder = try Folder()
    let made = try folder.run("img.book(\"a.pdf\", { img.canvas(100, 100) })")
    made.expect(status: 0)
    let verifier = Command(program: Built.program("imghost-verify"), arguments: ["a.pdf"], folder: folder.path)
    expectEnd(try verifier.start())
  }

  @Test func theVerifierOfARun() throws {
    let folder = try Folder()
    try folder.write(
      "t.lua",
      "local img = require \"imghost\"\nimg.book(\"a.pdf\", { img.canvas(100, 100) }, { verify = true })")
    expectEnd(try Command(arguments: ["run", "t.lua"], folder: folder.path).start())
  }

  @Test func aTest() throws {
    let folder = try Folder()
    try folder.write("a_test.lua", "while true do end")
    expectEnd(try Command(arguments: ["test", "a_test.lua"], folder: folder.path).start())
  }
}
