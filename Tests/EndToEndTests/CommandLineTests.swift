import Foundation
import TestSupport
import Testing

/// The commands, their help, their mistakes and their statuses.
struct CommandLineTests {
  static let commands = [
    "run", "check", "convert", "book", "sheet", "preview", "ops", "plugins", "plugin", "info", "verify", "test", "new",
    "completion", "help",
  ]

  @Test(arguments: commands)
  func help(_ command: String) throws {
    let folder = try Folder()
    let outcome = try folder.imghost(command, "--help")
    #expect(outcome.status == 0 && outcome.error == "", "\(outcome)")
    #expect(outcome.output.contains("usage: imghost \(command)"))
    #expect(outcome.output.contains("--help"))
    #expect(try folder.imghost("help", command).output == outcome.output)
    #expect(try folder.imghost(command, "-h").output == outcome.output)
    #expect(try folder.imghost("--help").output.contains("  \(command) "))
    #expect(outcome.outputLines.allSatisfy { $0.count <= 100 }, "\(outcome)")
  }

  /// Help and lists fit the width of the screen.
  @Test(arguments: [
    ["--help"], ["run", "--help"], ["plugins", "--help"], ["ops"], ["ops", "resize"], ["help", "t.lua"],
  ])
  func fitsTheScreen(_ words: [String]) throws {
    let folder = try Folder()
    try folder.write(
      "t.lua",
      "require('imghost').setting('width', { type = 'int', minimum = 1, default = 1, help = 'how wide it is, or was' })"
    )
    let wide = try folder.imghost(words, environment: ["COLUMNS": nil])
    let narrow = try folder.imghost(words, environment: ["COLUMNS": "60"])
    #expect(wide.status == 0 && narrow.status == 0, "\(narrow)")
    #expect(narrow.outputLines.allSatisfy { $0.count <= 60 }, "\(narrow)")
    func plain(_ text: String) -> [Substring] { text.split { $0 == " " || $0 == "\n" } }
    #expect(plain(narrow.output) == plain(wide.output))
    #expect(try folder.imghost(words, environment: ["COLUMNS": "no number"]).output == wide.output)
  }

  @Test func version() throws {
    let outcome = try Folder().imghost("--version")
    #expect(outcome.output == "imghost 0.2.0\n" && outcome.status == 0)
  }

  struct Mistake: CustomTestStringConvertible, Sendable {
    let arguments: [String]
    let message: String
    init(_ arguments: String, _ message: String) {
      self.arguments = arguments.split(separator: " ").map(String.init)
      self.message = message
    }
    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let mistakes: [Mistake] = [
    Mistake(
      "rnu t.lua", "imghost: unknown command 'rnu' (did you mean 'run'?); see 'imghost --help'"),
    Mistake("xyzzy", "imghost: unknown command 'xyzzy'; see 'imghost --help'"),
    Mistake(
      "book.lua",
      "imghost: unknown command 'book.lua' (did you mean 'imghost run book.lua'?); see 'imghost --help'"),
    Mistake(
      "identify a.jpg", "imghost: unknown command 'identify' (did you mean 'imghost info'?); see 'imghost --help'"),
    Mistake(
      "resize a.jpg",
      "imghost: unknown command 'resize' (did you mean 'imghost convert IN… --resize … -o OUT'?); see 'imghost --help'"),
    Mistake("book --pagesize a4 a.jpg", "imghost book: unknown option '--pagesize' (did you mean '--paper'?)"),
    Mistake(
      "convert --paper a4 a.jpg",
      "imghost convert: unknown option '--paper' (an option of 'imghost book'); see 'imghost convert --help'"),
    Mistake("preview none.lua", "imghost preview: none.lua: the file does not exist"),
    Mistake("cache clear --out none", "imghost cache: --out: none: the folder does not exist"),
    Mistake(
      "convert a.jpg --strip --metadata all -o b.jpg",
      "imghost convert: --strip and --metadata contradict each other; give one of them"),
    Mistake(
      "convert a.jpg b.png --dpi 300 -o o/",
      "imghost convert: --dpi is for reading .pdf, .svg files, and no input is one; for another size, write --resize"),
    Mistake("run", "imghost run: missing argument SCRIPT; see 'imghost run --help'"),
    Mistake("check", "imghost check: missing argument SCRIPT; see 'imghost check --help'"),
    Mistake("info", "imghost info: missing argument FILE; see 'imghost info --help'"),
    Mistake("verify", "imghost verify: missing argument PDF; see 'imghost verify --help'"),
    Mistake("plugin", "imghost plugin: missing argument SUBCOMMAND; see 'imghost plugin --help'"),
    Mistake(
      "plugin chekc x", "imghost plugin: unknown command 'chekc' (did you mean 'check'?); see 'imghost plugin --help'"
    ),
    Mistake(
      "plugin check",
      "imghost plugin check: missing argument FILE; see 'imghost plugin check --help'"),
    Mistake(
      "plugin check nothing",
      "imghost plugin check: unknown plugin 'nothing'; see 'imghost plugins'"),
    Mistake("new", "imghost new: missing argument NAME; see 'imghost new --help'"),
    Mistake("new a b", "imghost new: unexpected argument 'b'; see 'imghost new --help'"),
    Mistake(
      "ops resize vignette",
      "imghost ops: unexpected argument 'vignette'; see 'imghost ops --help'"),
    Mistake(
      "completion", "imghost completion: missing argument SHELL; see 'imghost completion --help'"),
    Mistake(
      "completion ksh",
      "imghost completion: invalid value 'ksh' for SHELL: expected one of bash, zsh, fish"),
    Mistake(
      "help rnu",
      "imghost help: unknown command 'rnu' (did you mean 'run'?); see 'imghost help --help'"),
    Mistake(
      "run --jbos 2 t.lua",
      "imghost run: unknown option '--jbos' (did you mean '--jobs'?); valid: --eval, "
        + "--set, --jobs, --memory, --script-time, --script-memory, --trust-owner, --timeout, --out, --confine, --on-error, "
        + "--qos, --shard, --stage, --dry-run, --json, --quiet, --verbose, --progress, --manifest, --depfile, --design, --durable, "
        + "--only-changed, --hash, --explain, --overwrite, --prune, --no-wait, "
        + "--isolate, --in-process, --worker-command, --trace, --timeline, --report, --watch, --help"),
    Mistake(
      "run --jobs 0 t.lua",
      "imghost run: invalid value '0' for --jobs: expected a whole number from 1 to 4096"),
    Mistake(
      "run --jobs two t.lua",
      "imghost run: invalid value 'two' for --jobs: expected a whole number from 1 to 4096"),
    Mistake("run --jobs", "imghost run: missing value for --jobs: expected N"),
    Mistake(
      "run --dry-run=yes t.lua", "imghost run: unexpected value for --dry-run: it takes none"),
    Mistake(
      "run --memory 5 t.lua",
      "imghost run: invalid value '5' for --memory: expected a size of at least 1M, such as 512M or "
        + "2G"),
    Mistake(
      "run --timeout soon t.lua",
      "imghost run: invalid value 'soon' for --timeout: expected seconds, such as 30 or 0.5"),
    Mistake(
      "run --set width t.lua", "imghost run: invalid value 'width' for --set: expected KEY=VALUE"),
    Mistake(
      "run --on-error ignore t.lua",
      "imghost run: invalid value 'ignore' for --on-error: expected one of stop, continue"),
    Mistake(
      "run --qos fast t.lua",
      "imghost run: invalid value 'fast' for --qos: expected one of background, utility, default, "
        + "user-initiated, user-interactive"),
    Mistake(
      "run --trace t.lua t.lua",
      "imghost run: invalid value 't.lua' for --trace: expected a file other than the script"),
    Mistake(
      "run --trace a.x --timeline ./a.x t.lua",
      "imghost run: invalid value './a.x' for --timeline: expected a file other than --trace"),
    Mistake(
      "run --timeline= t.lua", "imghost run: invalid value '' for --timeline: expected FILE.svg"),
    Mistake(
      "run --sealed t.lua",
      "imghost run: unknown option '--sealed' (an option of 'imghost verify'); valid: --eval, "
        + "--set, --jobs, --memory, --script-time, --script-memory, --trust-owner, --timeout, --out, --confine, --on-error, "
        + "--qos, --shard, --stage, --dry-run, --json, --quiet, --verbose, --progress, --manifest, --depfile, --design, --durable, "
        + "--only-changed, --hash, --explain, --overwrite, --prune, --no-wait, "
        + "--isolate, --in-process, --worker-command, --trace, --timeline, --report, --watch, --help"),
    Mistake("run --out= t.lua", "imghost run: invalid value '' for --out: expected DIR"),
    Mistake(
      "verify --against=", "imghost verify: invalid value '' for --against: expected FOLDER"),
    Mistake("run --timeline . t.lua", "imghost run: --timeline: .: it is a folder, not a file"),
    Mistake(
      "run --trace t.lua/x t.lua",
      "imghost run: --trace: t.lua/x: a part of its path is a file, not a folder"),
    Mistake("ops resze", "imghost ops: unknown operation 'resze' (did you mean 'resize'?)"),
    Mistake("run none.lua", "imghost run: none.lua: the file does not exist"),
  ]

  @Test(arguments: sampled(mistakes))
  func wrongUsage(_ mistake: Mistake) throws {
    let folder = try Folder()
    try folder.write("t.lua", "print(1)")
    let outcome = try folder.imghost(mistake.arguments)
    outcome.expect(status: 2)
    #expect(outcome.error == mistake.message + "\n")
    #expect(outcome.output == "")
  }

  @Test(arguments: ["run", "check", "info", "verify", "new", "ops"])
  func emptyArguments(_ command: String) throws {
    let outcome = try Folder().imghost(command, "")
    outcome.expect(status: 2)
    #expect(
      outcome.error
        == "imghost \(command): empty argument; see 'imghost \(command) --help'\n")
  }

  @Test func noCommand() throws {
    let outcome = try Folder().imghost()
    outcome.expect(status: 2, error: "usage: imghost")
  }

  @Test func argumentsAndSettings() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      print(arg[0], #arg, arg[1], arg[2], arg[3])
      local s = img.settings
      print(s.n + 1, s.x, s.on, s.text, s.empty, s.eq, s.none)
      img.canvas(3, 3):save("a.png")
      """, "--set", "n=4", "--set", "x=0.5", "--set=on=true", "--set", "text=a b", "--set",
      "empty=", "--set", "eq=a=b", arguments: ["one", "--jobs", "ü"])
    outcome.expect(status: 0)
    #expect(
      outcome.outputLines == ["t.lua\t3\tone\t--jobs\tü", "5\t0.5\ttrue\ta b\t\ta=b\tnil"])
  }

  @Test func settingThatIsNeverRead() throws {
    let outcome = try Folder().run("img.canvas(3, 3):save(\"a.png\")", "--set", "widht=4")
    outcome.expect(status: 0)
    #expect(
      outcome.messages == [
        "imghost: note: unused setting 'widht': the script never reads it"
      ])
  }

  @Test func scriptFromStandardInput() throws {
    let folder = try Folder()
    let script = "local img = require \"imghost\" img.canvas(3, 3):save(arg[1])"
    let outcome = try folder.imghost("run", "-", "a.png", input: script)
    #expect(outcome.status == 0 && folder.exists("a.png"), "\(outcome)")
    let wrong = try folder.imghost("run", "-", input: "\nerror(\"here\")")
    #expect(wrong.error == "stdin:2: here\n" && wrong.status == 3, "\(wrong)")
  }

  @Test func outputFolder() throws {
    let folder = try Folder()
    let script = "img.canvas(3, 3):save(\"b/a.png\") img.book(\"c.pdf\", img.canvas(30, 30))"
    let outcome = try folder.run(script, "--out", "deep/er")
    outcome.expect(status: 0)
    #expect(folder.files == ["deep/er/b/a.png", "deep/er/c.pdf", "t.lua"])
  }

  @Test func dryRunWritesNothing() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local p = img.open(arg[1])
      p:resize{ width = 100 }:save("web/{stem}.jpg")
      img.book("book.pdf", { p }, { verify = true })
      print(p:save("x.png"):await().ok)
      """, "--dry-run", arguments: [Built.photos + "/rocket.jpg"])
    outcome.expect(status: 0)
    #expect(folder.files == ["t.lua"])
    let plan = outcome.outputLines.filter { $0.contains(" <- ") }
    #expect(plan.count == 3, "\(outcome)")
    #expect(plan.contains { $0.hasPrefix("web/rocket.jpg <- ") && $0.contains("resize width=100") })
    #expect(
      plan.contains { $0.hasPrefix("book.pdf page 1 <- ") && $0.hasSuffix("stored as it is") })
  }

  @Test func check() throws {
    let folder = try Folder()
    try folder.write("good.lua", "require \"imghost\".canvas(3, 3):save(\"a.png\")")
    try folder.write("bad.lua", "\nrequire \"imghost\".canvas(0, 3):save(\"a.png\")")
    let good = try folder.imghost("check", "good.lua")
    #expect(good.status == 0 && good.output == "good.lua: no mistakes found\n", "\(good)")
    let bad = try folder.imghost("check", "bad.lua")
    bad.expect(status: 3)
    #expect(
      bad.messages == [
        "bad.lua:2: canvas: 'width' is 0; it takes a whole number from 1 to 1000000"
      ])
    #expect(folder.files == ["bad.lua", "good.lua"])
  }

  @Test func new() throws {
    let folder = try Folder()
    let made = try folder.imghost("new", "project")
    made.expect(status: 0)
    #expect(
      folder.files == [
        "project/.imghost/imghost.d.lua", "project/.imghost/imghost.test.d.lua", "project/.luarc.json",
        "project/pictures.lua", "project/pictures_test.lua",
      ])
    try folder.copy(Built.photos + "/rocket.jpg", to: "project/p.jpg")
    let outcome = try Command(arguments: ["run", "pictures.lua", "."], folder: folder("project")).run()
    outcome.expect(status: 0)
    #expect(outcome.output == "pictures.pdf, pages: 1\n")
    #expect(folder.exists("project/web/p.jpg"))
    let settings = try JSONSerialization.jsonObject(
      with: Data(folder.bytes("project/.luarc.json")))
    #expect(settings is [String: Any])
    #expect(try folder.imghost("new", "project").status == 0)
    #expect(try folder.imghost("new", "").status == 2)
    // What can be pasted is quoted for a shell.
    #expect(try folder.imghost("new", "two words").output.contains("cd 'two words' && imghost test\n"))
    #expect(try folder.imghost("new", "project/pictures.lua/x").status == 1)
  }

  /// What was edited by hand stays, unless the command line says otherwise.
  @Test(
    arguments: sampled([
      (["album"], ["pictures.lua", "pictures_test.lua", ".luarc.json"]),
      (["plugin", "glow", "--lang", "c"], ["Glow.c", "test.sh", "README.md"]),
      (["plugin", "glow", "--lang", "swift"], ["Glow.swift", "example.lua"]),
      (["plugin", "glow", "--lang", "lua"], ["plugins/glow.lua"]),
      (["plugin", "glow", "--lang", "c", "--kind", "codec"], ["Glow.c", "save.lua"]),
    ]))
  func anEditedProjectIsKept(_ arguments: [String], _ names: [String]) throws {
    let folder = try Folder()
    let name = arguments.first { $0 != "plugin" }!
    for _ in 0..<2 { #expect(try folder.imghost(["new"] + arguments).status == 0) }
    for path in names.map({ "\(name)/\($0)" }) {
      let written = folder.bytes(path)
      try folder.write(path, String(decoding: written, as: UTF8.self) + "\n")
      let edited = folder.bytes(path)
      let outcome = try folder.imghost(["new"] + arguments)
      outcome.expect(status: 2)
      #expect(
        outcome.error == "imghost new: '\(path)' is not as imghost writes it; choose another name, or replace it with "
          + "--overwrite\n")
      #expect(folder.bytes(path) == edited)
      #expect(try folder.imghost(["new", "--overwrite"] + arguments).status == 0)
      #expect(folder.bytes(path) == written)
    }
  }

  /// A folder that imghost has not made stays as it is, and so does a link in the place of a file.
  @Test(.wholeRuns) func aFolderOfOthersIsNoProject() throws {
    let folder = try Folder()
    try folder.write("photos/a.txt", "a")
    try folder.write("file", "a")
    for name in ["photos", "file"] {
      let outcome = try folder.imghost("new", name)
      #expect(outcome.error == "imghost new: '\(name)' already exists; choose another name\n", "\(outcome)")
    }
    #expect(try folder.imghost("new", "plugin", "glow", "--lang", "c").status == 0)
    // The files of another language are as imghost writes them.
    #expect(try folder.imghost("new", "plugin", "glow", "--lang", "swift").status == 0)
    try folder.write("glow/Glow.swift", "")
    try folder.write("glow/README.md", "")
    let outcome = try folder.imghost("new", "plugin", "glow", "--lang", "swift")
    #expect(outcome.error.contains("'glow/Glow.swift' and 1 more file are not as imghost writes them"), "\(outcome)")
  }

  @Test func info() throws {
    let folder = try Folder()
    let good = Built.photos + "/rocket.jpg"
    let outcome = try folder.imghost("info", good, "none.jpg", folder.path)
    outcome.expect(status: 1)
    #expect(outcome.outputLines.first == good)
    #expect(outcome.output.contains("640 x 427"))
    #expect(
      outcome.errorLines == [
        "imghost info: none.jpg: the file does not exist",
        "imghost info: \(folder.path): it is a folder, not a file",
      ])
    let png = try folder.imghost("info", Built.photos + "/coffee.png", "--page", "1")
    #expect(png.status == 0 && png.output.contains("bits") && !png.output.contains("interlaced"), "\(png)")
    let pages = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/tiff/pages.tif"
    #expect(try folder.imghost("info", "--page", "2", pages).status == 0)
    #expect(
      try folder.imghost("info", "--page", "3", pages).errorLines == [
        "imghost info: \(pages): has 2 pages, not 3"
      ])
    let machine = try folder.imghost("info", "--machine")
    #expect(machine.status == 0 && machine.output.contains("workers"))
    #expect(machine.output.contains("instructions"))
    let json = try folder.imghost("info", "--json", good)
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(object?["width"] as? Int == 640 && object?["format"] as? String == "jpeg")
  }

  @Test func environmentIsChecked() throws {
    let folder = try Folder()
    func outcome(_ name: String, _ value: String) throws -> Outcome {
      let command = Command(arguments: ["info", "--machine"], folder: folder.path, environment: [name: value])
      return try command.start().finish(within: 10)
    }
    let portable = try outcome("IMGHOST_CPU", "portable")
    #expect(portable.status == 0 && portable.output.contains("portable"))
    let slip = try outcome("IMGHOST_CPU", "portabel")
    slip.expect(status: 2)
    #expect(
      slip.error == """
        imghost: invalid value 'portabel' for IMGHOST_CPU (did you mean 'portable'?): expected \
        one of portable, baseline, v3, v4

        """)
    #expect(try outcome("IMGHOST_JPEG", "turbo").status == 2)
  }

  @Test func operations() throws {
    let folder = try Folder()
    let list = try folder.imghost("ops")
    #expect(list.status == 0 && list.output.contains("  resize"))
    let all = try folder.imghost("ops", "--json")
    let parsed = try JSONSerialization.jsonObject(with: Data(all.output.utf8))
    let operations = try #require(parsed as? [[String: Any]])
    #expect(operations.count > 25)
    let page = try folder.imghost("ops", "resize")
    #expect(page.status == 0 && page.output.contains("picture:resize(width, height, { … })"))
    let one = try folder.imghost("ops", "resize", "--json")
    let resize = try JSONSerialization.jsonObject(with: Data(one.output.utf8)) as? [String: Any]
    #expect(resize?["name"] as? String == "resize")
    #expect((resize?["parameters"] as? [Any])?.isEmpty == false)
    // The stubs are Lua that can be loaded.
    let stubs = try folder.imghost("ops", "--stubs")
    try folder.write("stubs.lua", stubs.output)
    let loaded = try folder.run("require \"stubs\" img.canvas(2, 2):save(\"a.png\")")
    loaded.expect(status: 0)
  }

  @Test func plugins() throws {
    let folder = try Folder()
    let list = try folder.imghost("plugins")
    list.expect(status: 0)
    #expect(list.output.contains("vignette") && list.output.contains("halftone"))
    let json = try folder.imghost("plugins", "--json")
    let all = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    let isolation = try #require(all["isolation"] as? [String: [String]])
    #expect(isolation["enforced"]?.first == "processes" && isolation["missing"] != nil)
  }

  /// The list gives each plugin's kind, whether the plugin is used or refused.
  @Test(.wholeRuns) func kindsOfPlugins() throws {
    let folder = try Folder()
    try folder.write(
      "plugins/twice.lua",
      """
      return { name = "twice", parameters = { other = { type = "picture" } },
        apply = function(p, o) return p:composite{ over = o.other } end }
      """)
    try folder.write("frei0r/broken.so", "text")
    try folder.write("native/broken.so", "text")
    let outcome = try folder.imghost(
      "plugins", "--json", environment: ["FREI0R_PATH": folder("frei0r"), "IMGHOST_PLUGIN_PATH": folder("native")])
    let all = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let plugins = try #require(all["plugins"] as? [[String: Any]])
    func row(_ key: String, _ value: String) -> [String] {
      let plugin = plugins.first { ($0[key] as? String)?.hasSuffix(value) == true } ?? [:]
      return [plugin["library"] as? String ?? "-", plugin["kind"] as? String ?? "-"]
        + [(plugin["inputs"] as? Int).map { "\($0)" } ?? "-"]
    }
    #expect(row("name", "vignette") == ["native", "filter", "1"], "\(outcome)")
    #expect(row("name", "test_card") == ["native", "source", "0"])
    #expect(row("name", "mask_blend") == ["native", "mixer", "3"])
    #expect(row("name", "twice") == ["lua", "mixer", "2"])
    #expect(row("path", "frei0r/broken.so") == ["frei0r", "-", "-"])
    #expect(row("path", "native/broken.so") == ["native", "-", "-"])
  }

  @Test func damagedBooksDoNotVerify() throws {
    let folder = try Folder()
    let made = try folder.run(
      "img.book(\"b.pdf\", { img.open(arg[1]), img.canvas(60, 40) })",
      arguments: [Built.photos + "/rocket.jpg"])
    made.expect(status: 0)
    let bytes = folder.bytes("b.pdf")
    try folder.write("cut.pdf", Array(bytes.prefix(bytes.count / 2)))
    var changed = bytes
    for index in 5000..<5400 { changed[index] ^= 0x55 }
    try folder.write("changed.pdf", changed)
    try folder.write("text.pdf", "no PDF")
    #expect(try folder.imghost("verify", "b.pdf").status == 0)
    for name in ["cut.pdf", "changed.pdf", "text.pdf"] {
      let outcome = try folder.imghost("verify", "b.pdf", name)
      #expect(outcome.status == 4, "\(name): \(outcome)")
      #expect((outcome.output + outcome.error).contains(name), "\(outcome)")
    }
    #expect(try folder.imghost("verify", "none.pdf").status == 1)
  }

  /// A stand-in for the verifier that finds fault: what was written stays, and the status tells.
  @Test func booksThatDoNotVerify() throws {
    let folder = try Folder()
    for name in ["imghost", "imghost-plugin-worker"] {
      try folder.makeFolder("bin")
      try folder.copy(Built.program(name), to: "bin/" + name)
    }
    let report = #"{"summary":"failed","pages":[{}],"findings":[{"severity":"error","page":1,"text":"it is blank"}]}"#
    try folder.write("bin/imghost-verify", "#!/bin/sh\necho '\(report)'\nexit 4\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder("bin/imghost-verify"))
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      local r = img.book("b.pdf", img.canvas(9, 9), { verify = true }):await()
      print(r.ok, r.written, r.verified, r.verification)
      """)
    let command = Command(program: folder("bin/imghost"), arguments: ["run", "t.lua"], folder: folder.path)
    let outcome = try command.run()
    outcome.expect(status: 4)
    #expect(outcome.output == "false\t1\tfalse\t1 page, 1 error\n")
    #expect(
      outcome.messages == [
        "  page 1: error: it is blank",
        "t.lua:2: book: b.pdf: did not verify: 1 page, 1 error; the file is kept; correct or leave out what is named "
          + "above, and run the script again",
      ])
    for (text, message) in [
      ("#!/bin/sh\nkill -SEGV $$\n", "imghost-verify crashed (signal 11)"),
      ("#!/bin/sh\nexit 9\n", "imghost-verify ended with status 9"),
    ] {
      try folder.write("bin/imghost-verify", text)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder("bin/imghost-verify"))
      let broken = try command.run()
      broken.expect(status: 4, error: message)
    }
  }
}
