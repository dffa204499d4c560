import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What ends a run from outside: soon, with the right status, and nothing half-written.
struct InterruptionTests {
  /// Takes minutes if it is let: large canvases through wide blurs, into pictures and a book.
  private static let long = """
    print("began")
    local list = {}
    for i = 1, 400 do list[i] = img.canvas(2500, 2500):blur(40 + i):rotate(3) end
    img.list(list):save("out/{index}.png")
    img.book("out/book.pdf", list)
    """

  private func start(_ folder: Folder, _ script: String, _ options: String...) throws
    -> Command.Running
  {
    try folder.write("t.lua", "local img = require \"imghost\"\n" + script)
    return try Command(arguments: ["run"] + options + ["t.lua"], folder: folder.path).start()
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func signalDuringARun(_ signal: Int32) throws {
    let folder = try Folder()
    let running = try start(folder, Self.long)
    // It is at work once files are there under their temporary names.
    #expect(running.wait { !folder.temporaries.isEmpty }, "\(running.soFar)")
    let asked = Date()
    running.send(signal)
    let outcome = running.finish(within: 10)
    #expect(Date().timeIntervalSince(asked) < 1.5, "a second, and what a busy machine takes")
    #expect(outcome.status == 130, "\(outcome)")
    #expect(outcome.error.contains("imghost: interrupted"))
    #expect(folder.temporaries == [])
    for name in folder.files where name.hasSuffix(".png") {
      _ = try Pixels(file: folder(name))
    }
    #expect(!folder.exists("out/book.pdf"))
  }

  @Test func signalDuringAScript() throws {
    let folder = try Folder()
    let running = try start(folder, "print(\"began\") while true do end")
    #expect(running.wait { running.soFar.contains("began") })
    running.send(SIGINT)
    let outcome = running.finish(within: 10)
    #expect(outcome.status == 130, "\(outcome)")
    #expect(outcome.errorLines == ["imghost: interrupted"])
  }

  /// What the verifier is told lies in a temporary file, which goes as well; the book stays.
  @Test func signalDuringVerification() throws {
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
    #expect(running.wait { !Built.files(in: folder("temporary")).isEmpty }, "\(running.soFar)")
    running.send(SIGINT)
    let outcome = running.finish(within: 10)
    #expect(outcome.status == 130, "\(outcome)")
    #expect(folder.files == ["b.pdf", "t.lua"])
  }

  @Test func timeout() throws {
    let folder = try Folder()
    let outcome = try start(folder, Self.long, "--timeout", "0.5").finish(within: 10)
    #expect(outcome.status == 1, "\(outcome)")
    #expect(
      outcome.error.contains("imghost: stopped after 0.5 s, the limit given with --timeout"))
    #expect(folder.temporaries == [])
    #expect(outcome.seconds < 3)
  }

  /// A run that is done in time is not touched by it.
  @Test func timeoutThatIsNotReached() throws {
    let folder = try Folder()
    let outcome = try folder.run("img.canvas(3, 3):save(\"a.png\")", "--timeout", "60")
    #expect(outcome.status == 0 && folder.exists("a.png"), "\(outcome)")
  }
}
