import Foundation
import PictureTestSupport
import Platform
import TestSupport
import Testing

/// Runs that are interrupted: they end soon, with the right status, and leave no incomplete files.
struct InterruptionTests {
  /// A script that would take minutes: large canvases with wide blurs, into pictures and a book.
  private static let long = """
    print("began")
    local list = {}
    for i = 1, 400 do list[i] = img.canvas(2500, 2500):blur(40 + i):rotate(3) end
    img.list(list):save("out/{index}.png")
    img.book("out/book.pdf", list)
    """

  private func start(_ folder: Folder, _ script: String, _ options: String...) throws -> Command.Running {
    try folder.write("t.lua", "local img = require \"imghost\"\n" + script)
    return try Command(arguments: ["run"] + options + ["t.lua"], folder: folder.path).start()
  }

  @Test(
    arguments: isThorough
      ? [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGALRM] : [SIGINT, SIGTERM])
  func signalDuringARun(_ signal: Int32) throws {
    let folder = try Folder()
    let running = try start(folder, Self.long)
    // It is at work once files are there under their temporary names.
    #expect(running.wait { !folder.temporaries.isEmpty }, "\(running.soFar)")
    running.send(signal)
    let outcome = running.finish(within: 10)
    #expect(outcome.status == 128 + signal, "\(outcome)")
    #expect(outcome.error.contains("imghost: interrupted"))
    #expect(folder.temporaries == [])
    for name in folder.files where name.hasSuffix(".png") { _ = try Pixels(file: folder(name)) }
    #expect(!folder.exists("out/book.pdf"))
  }

  @Test func signalDuringAScript() throws {
    let folder = try Folder()
    let running = try start(folder, "print(\"began\") while true do end")
    #expect(running.wait { running.soFar.contains("began") })
    running.send(SIGINT)
    let outcome = running.finish(within: 10)
    outcome.expect(status: 130)
    #expect(outcome.errorLines == ["imghost: interrupted"])
  }

  /// An interrupted verification removes its temporary file as well; the book stays.
  @Test(.thorough) func signalDuringVerification() throws {
    let folder = try Folder()
    try folder.makeFolder("temporary")
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      local t = {}
      for i = 1, 200 do t[i] = img.canvas(700 + i, 500, { background = { i, 9, 9 } }):extend{ top = 9 } end
      img.book("b.pdf", t, { verify = true })
      """)
    let running = try Command(
      arguments: ["run", "t.lua"], folder: folder.path,
      environment: ["TMPDIR": folder("temporary")]
    ).start()
    #expect(running.wait { folder.exists("b.pdf") }, "\(running.soFar)")
    running.send(SIGINT)
    let outcome = running.finish(within: 10)
    outcome.expect(status: 130)
    #expect(folder.files == ["b.pdf", "t.lua"])
  }

  /// `nohup` counts on it.
  @Test(.thorough) func ignoredSignalsStayIgnored() throws {
    let folder = try Folder()
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      print("began")
      for i = 1, 40 do img.canvas(900, 900):blur(5 + i):save("out/" .. i .. ".png") end
      """)
    let running = try Command(
      program: "/bin/sh", arguments: ["-c", "trap '' HUP; exec '\(Built.program("imghost"))' run t.lua"],
      folder: folder.path, seconds: 100
    ).start()
    #expect(running.wait { running.soFar.contains("began") })
    running.send(SIGHUP)
    let outcome = running.finish(within: 100)
    outcome.expect(status: 0)
    #expect(folder.files.count == 41)
  }

  /// The next run in a folder removes the files of a killed run, and keeps those of a living one.
  @Test func leftoversOfDeadRuns() throws {
    let folder = try Folder()
    try folder.write("out/.imghost-notes", "the user's own")
    try folder.write("out/.imghost-abcdef", "of no run")
    let others: Set = ["out/.imghost-notes", "out/.imghost-abcdef"]
    let killed = try start(folder, Self.long)
    let left = try whatItHolds(killed, folder).subtracting(others)
    killed.send(SIGKILL)
    _ = killed.finish(within: 10)
    #expect(left.isSubset(of: folder.temporaries))

    let living = try start(folder, Self.long)
    #expect(living.wait { left.isDisjoint(with: folder.temporaries) }, "\(living.soFar)")
    let held = try whatItHolds(living, folder)
    let outcome = try folder.run("img.canvas(2, 2):save(\"out/small.png\")")
    outcome.expect(status: 0)
    #expect(Set(folder.temporaries) == held.union(others))
    living.send(SIGTERM)
    living.send(SIGCONT)
    #expect(living.finish(within: 10).status == 143)
    #expect(folder.temporaries == ["out/.imghost-abcdef", "out/.imghost-notes"])
  }

  /// Stops a run while it holds the locks of temporary files, and gives these.
  ///
  /// A file that it has made and not locked yet counts for nothing: another run may remove it, and this one makes
  /// another then.
  private func whatItHolds(_ running: Command.Running, _ folder: Folder) throws -> Set<String> {
    var held: Set<String> = []
    repeat {
      running.send(SIGCONT)
      #expect(running.wait { folder.temporaries.count > 2 }, "\(running.soFar)")
      try stop(running)
      held = Set(folder.temporaries.filter { isLocked(folder($0)) })
    } while held.isEmpty && running.process.isRunning
    try #require(!held.isEmpty, "\(running.soFar)")
    return held
  }

  private func stop(_ running: Command.Running) throws {
    running.send(SIGSTOP)
    let status = "/proc/\(running.process.processIdentifier)/stat"
    #expect(
      running.wait {
        (try? String(contentsOfFile: status, encoding: .utf8))?.contains(") T ") ?? true
      })
  }

  /// Whether a process holds the lock of a file that is being written.
  private func isLocked(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    return descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0
  }

  @Test func timeout() throws {
    let folder = try Folder()
    let outcome = try start(folder, Self.long, "--timeout", "0.5").finish(within: 10)
    outcome.expect(status: 1)
    #expect(
      outcome.error.contains("imghost: stopped after 0.5 s, the limit given with --timeout"))
    #expect(folder.temporaries == [])
  }

  /// A run that is done in time is not touched by it.
  @Test func timeoutThatIsNotReached() throws {
    let folder = try Folder()
    let outcome = try folder.run("img.canvas(3, 3):save(\"a.png\")", "--timeout", "60")
    #expect(outcome.status == 0 && folder.exists("a.png"), "\(outcome)")
  }
}
