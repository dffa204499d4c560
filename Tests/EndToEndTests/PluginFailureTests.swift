import Foundation
import Testing

/// What is said of a plugin that fails, and the command that repeats it.
@Suite struct PluginFailureTests {
  /// Compiles a plugin that touches what it must not, into `plugins` of the folder.
  private func make(in folder: Folder, _ macro: String) throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    try folder.write("plugins/empty", "")
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = [
      "cc", "-shared", "-fPIC", "-D" + macro, "-I", root + "/Sources/CPluginABI/include", "-o",
      folder("plugins/liboddPlugin.so"), root + "/Tests/PluginHostTests/Fixtures/misbehaving.c",
    ]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
  }

  @Test func theCommandRepeatsTheCall() throws {
    let folder = try Folder()
    try make(in: folder, "READ_PAST_INPUT")
    let environment = ["IMGHOST_PLUGIN_PATH": folder("plugins")]
    let made = try folder.run("img.canvas(30, 20):save(\"it's one.png\")")
    #expect(made.status == 0, "\(made)")
    let failed = try folder.run(
      "img.open(\"it's one.png\"):plugin(\"odd\", { first = 0.5, second = \"5\" }):save(\"a.png\")",
      environment: environment)
    #expect(failed.status == 1, "\(failed)")
    let expected =
      "odd: it's one.png: plugin 'odd' read outside its input (segmentation fault at 0x"
    #expect(failed.error.contains(expected), "\(failed)")
    let start = try #require(failed.error.range(of: "; to repeat: imghost "))
    let line = failed.error[start.upperBound...].prefix { $0 != "\n" }
    #expect(
      line
        == "plugin run odd --set first=0.5 --set 'second=\"5\"' -- 'it'\\''s one.png' repeated.png")
    let again = try folder.imghost(
      "plugin", "run", "odd", "--set", "first=0.5", "--set", "second=\"5\"", "--", "it's one.png",
      "repeated.png", environment: environment)
    #expect(again.status == 1 && again.error.contains(expected), "\(again)")
    #expect(again.error.contains(line), "\(again)")
  }

  @Test(arguments: [
    (["run", "vignette", "--set", "strength=0.4", "a.png", "b.png"], 0, ""),
    (["run", "vignette", "--in-process", "a.png", "b.png"], 0, ""),
    (["run", "vignete", "a.png", "b.png"], 3, "there is no plugin 'vignete' (did you mean"),
    (["run", "vignette", "--set", "strenth=1", "a.png", "b.png"], 3, "unknown option 'strenth'"),
    (["run", "vignette", "--set", "a b=1", "a.png", "b.png"], 2, "option '--set' cannot be 'a b'"),
    (["run", "vignette", "a.png"], 2, "OUT is missing"),
    (["run", "vignette", "a.png", "b.png", "c.png"], 2, "'c.png' is one argument too many"),
    (["rnu"], 2, "there is no subcommand 'rnu'"), ([], 2, "SUBCOMMAND is missing"),
  ])
  func runningOne(_ arguments: [String], _ status: Int32, _ words: String) throws {
    let folder = try Folder()
    #expect(try folder.run("img.canvas(9, 9):save(\"a.png\")").status == 0)
    let outcome = try folder.imghost(["plugin"] + arguments)
    #expect(
      outcome.status == status && (words.isEmpty || outcome.error.contains(words)), "\(outcome)")
    #expect(folder.exists("b.png") == (status == 0))
  }
}
