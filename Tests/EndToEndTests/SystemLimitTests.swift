import Foundation
import TestSupport
import Testing

/// Runs that exceed a limit of the system: one line says so, and no incomplete file is left.
struct SystemLimitTests {
  /// Limits of the address space in KB, from less than the minimum to more than enough; and of open files.
  private static let limits =
    stride(from: 40_000, to: 140_000, by: 5_000).map { ("v", $0) }
    + [200_000, 400_000, 1_000_000].map { ("v", $0) } + [8, 10, 12, 16, 24, 32].map { ("n", $0) }

  private static let scripts = [
    "small:save('{stem}.jpg') img.book('b.pdf', small, { caption = '{stem}', paper = 'a5' })",
    "small:map(function(p) return p:plugin('vignette') end):save('{stem}.jpg')",
    "img.book('b.pdf', small, { verify = true })",
  ]

  @Test(.thorough, arguments: limits) func limitsAreTold(_ limit: String, _ value: Int) throws {
    for (index, script) in Self.scripts.enumerated() {
      let folder = try Folder()
      try folder.makeFolder("temporary")
      try folder.write(
        "t.lua",
        """
        local img = require "imghost"
        local small = img.glob("\(Built.photos)/*.*g"):map(function(p) return p:fit(90, 90) end)
        \(script)
        """)
      let jobs = [1, 4, 64][index % 3]
      let outcome = try Command(
        program: "/bin/bash",
        arguments: [
          "-c", "ulimit -c 0; ulimit -\(limit) \(value); exec \"$0\" run --jobs \(jobs) t.lua",
          Built.program("imghost"),
        ], folder: folder.path, environment: ["TMPDIR": folder("temporary")]
      ).run()
      #expect(
        outcome.signal == nil && [0, 1, limit == "n" ? 4 : 1].contains(outcome.status),
        "\(outcome)")
      #expect(folder.temporaries == [], "\(outcome)")
      // 4: a book that is written, and for whose verification there are no files.
      guard outcome.status != 0 else { continue }
      #expect(outcome.error.contains("ulimit -"), "\(outcome)")
      // The loader of libraries has a line of its own.
      if limit == "v" {
        #expect(outcome.messages.filter { !$0.contains("loading shared libraries") }.count == 1, "\(outcome)")
      }
    }
  }

  /// One picture that is broken, and twenty outputs of it.
  @Test func oneCauseIsToldOnce() throws {
    let folder = try Folder()
    let whole = try Data(contentsOf: URL(fileURLWithPath: Built.photos + "/chelsea.png"))
    try folder.write("cut.png", [UInt8](whole.prefix(whole.count / 2)))
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      local p = img.open("cut.png"):fit(90, 90)
      for i = 1, 20 do p:save("p" .. i .. ".jpg") end
      """)
    let outcome = try Command(arguments: ["run", "--on-error", "continue", "t.lua"], folder: folder.path).run()
    outcome.expect(status: 1)
    #expect(outcome.messages.count == 2, "\(outcome)")
    #expect(
      outcome.messages.last?.hasPrefix(
        "t.lua:2: open: cut.png: 19 more outputs failed for the same reason: ") == true,
      "\(outcome)")
    #expect(outcome.errorLines.last?.contains("20 failed") == true, "\(outcome)")
  }

  /// The soft limit of open files is raised as far as the hard one lets it.
  @Test func softLimitsAreRaised() throws {
    let folder = try Folder()
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      local photos = img.glob("\(Built.photos)/*.*g")
      photos:map(function(p) return p:fit(90, 90):plugin("vignette") end):save("{stem}.jpg")
      """)
    let outcome = try Command(
      program: "/bin/bash", arguments: ["-c", "ulimit -Sn 10; exec \"$0\" run t.lua", Built.program("imghost")],
      folder: folder.path
    ).run()
    outcome.expect(status: 0)
  }

  /// Runs imghost in this folder where other things are mounted. Leaves the test out where this user may not mount.
  ///
  /// - Parameters:
  ///   - commands: mounts, in a shell.
  ///   - input: a command before a pipe into imghost; empty for none.
  private func mounted(_ commands: String, _ words: [String], input: String = "", in folder: Folder) throws -> Outcome {
    let mark = "imghost-has-started"
    let program = input.isEmpty ? "exec \"$0\" \"$@\"" : "\(input) | \"$0\" \"$@\""
    let outcome = try Command(
      program: "/usr/bin/unshare",
      arguments: ["-m", "/bin/sh", "-c", "\(commands) && echo \(mark) >&2 && \(program)", Built.program("imghost")]
        + words,
      folder: folder.path, environment: ["TMPDIR": folder("temporary")]
    ).run()
    guard outcome.error.contains(mark) else { try Test.cancel("this user may not mount file systems") }
    return outcome
  }

  /// Without `/proc`, programs and plugins are found all the same.
  @Test(
    .unsanitized,
    arguments: sampled([
      ["convert", "a.png", "-o", "b.webp"], ["convert", "a.png", "--plugin", "vignette", "-o", "b.png"],
      ["book", "a.png", "-o", "b.pdf", "--verify"], ["run", "t.lua"], ["test"], ["plugins"],
    ]))
  func withoutProc(_ words: [String]) throws {
    let folder = try Folder()
    try folder.makeFolder("temporary")
    #expect(try folder.run("img.canvas(40, 30):save('a.png')").status == 0)
    try folder.write("a_test.lua", "local t = require 'imghost.test' t.test('a', function() t.ok(t.run('t.lua')) end)")
    let outcome = try mounted("mount -t tmpfs none /proc", words, in: folder)
    outcome.expect(status: 0)
  }

  /// Without `/proc`, formats are read whose libraries start threads, and so is what comes through standard input.
  @Test(
    .unsanitized,
    arguments: sampled([
      "svg/shapes.svg", "avif/lossy.avif", "jpegxl/lossy.jxl", "heif/apple.heic", "raw/bayer.dng", "pdf/two.pdf",
      "tiff/pages.tif", "jpeg2000/lossy.jp2",
    ]))
  func codecsWithoutProc(_ name: String) throws {
    let folder = try Folder()
    try folder.makeFolder("temporary")
    try folder.copy(Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/" + name, to: "in")
    for (words, input) in [("convert in -o a.png", ""), ("convert /dev/stdin -o b.png", "cat in")] {
      let words = words.split(separator: " ").map(String.init)
      let outcome = try mounted("mount -t tmpfs none /proc", words, input: input, in: folder)
      outcome.expect(status: 0)
    }
    #expect(folder.bytes("a.png") == folder.bytes("b.png"))
  }

  /// Without `/proc`, outputs go to descriptors, although no path leads to them.
  @Test(
    .unsanitized,
    arguments: sampled([
      "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/fd/3", "/dev/null", "-", "link.png", "link3.png",
    ]))
  func descriptorsWithoutProc(_ path: String) throws {
    let folder = try Folder()
    try folder.makeFolder("temporary")
    #expect(try folder.run("img.canvas(40, 30):save('a.png')").status == 0)
    try folder.link("link.png", to: "/dev/stdout")
    try folder.link("link3.png", to: "/proc/self/fd/3")
    let words = ["convert", "a.png", "-o", path]
    let outcome = try mounted("mount -t tmpfs none /proc && exec >one 3>three", words, in: folder)
    outcome.expect(status: 0)
    let written = ["one", "three"].filter { folder.bytes($0) == folder.bytes("a.png") }
    #expect(written == (path == "/dev/null" ? [] : path.contains("3") ? ["three"] : ["one"]))
  }

  /// Without `/proc`, an encrypted book is proven, and the verifier takes its password from standard input.
  @Test(.unsanitized) func encryptedBooksWithoutProc() throws {
    let folder = try Folder()
    try folder.makeFolder("temporary")
    let script = "img.book('b.pdf', img.canvas(40, 30), { password = 'word', owner_password = 'other' })"
    #expect(try folder.run(script).status == 0)
    let words = ["verify", "b.pdf", "--password-file", "-"]
    let outcome = try mounted("mount -t tmpfs none /proc", words, input: "echo word", in: folder)
    outcome.expect(status: 0)
  }

  /// Without `/proc`, nobody counts threads: a plugin may start as many in all as may run at once elsewhere. A further
  /// picture gets a fresh worker in time.
  @Test(.wholeRuns, .unsanitized) func threadsWithoutProc() throws {
    let folder = try Folder()
    try folder.makeFolder("temporary")
    try folder.makeFolder("plugins")
    for (name, count) in [("few", 100), ("many", 100_000)] {
      try Fixture.compile(
        "misbehaving", ["NAME=\"\(name)\"", "STARTS_THREADS=\(count)"], to: folder("plugins/lib\(name)Plugin.so"),
        options: ["-pthread"])
    }
    let script = """
      local img = require "imghost"
      for i = 1, 6 do img.canvas(40, 30):plugin("few"):save("few" .. i .. ".png") end
      """
    try folder.write("few.lua", script)
    try folder.write("many.lua", "require('imghost').canvas(40, 30):plugin('many'):save('many.png')")
    let unmount = "export IMGHOST_PLUGIN_PATH=\(folder("plugins")); mount -t tmpfs none /proc"
    let few = try mounted(unmount, ["run", "--jobs", "1", "few.lua"], in: folder)
    few.expect(status: 0)
    let many = try mounted(unmount, ["run", "many.lua"], in: folder)
    let isConfined = try Command(arguments: ["plugins"], folder: folder.path).run().output.contains(
      " threads, no core dumps")
    guard isConfined else { return }
    many.expect(status: 1, error: "plugin 'many' needs more threads than the ")
    #expect(many.error.contains("where /proc is not mounted") && many.messages.count == 2, "\(many)")
  }

  /// A full folder of temporary files is named, and nothing is said of the folder of the outputs. It has no room for a
  /// file, or none for its bytes.
  @Test(
    .unsanitized, arguments: ["nr_inodes=2", "nr_inodes=9"],
    sampled([
      "convert - -o b.png", "convert a.ppm -o - --format ppm", "book a.ppm --lossless -o -",
      "book a.ppm -o b.pdf --verify",
    ]))
  func fullFoldersOfTemporaryFiles(_ room: String, _ words: String) throws {
    let folder = try Folder()
    try folder.makeFolder("temporary")
    #expect(try folder.run("img.canvas(4000, 3000):save('a.ppm')").status == 0)
    let full = "mount -t tmpfs -o size=16k,\(room) none temporary && head -c 16k /dev/zero >temporary/full"
    let input = words.contains("convert -") ? "cat a.ppm" : ""
    let outcome = try mounted(full, words.split(separator: " ").map(String.init), input: input, in: folder)
    let message =
      "a temporary file in '\(folder("temporary"))' cannot be used: No space left on device; set TMPDIR to another folder"
    #expect(outcome.status != 0 && outcome.error.contains(message) && !outcome.error.contains("--out"), "\(outcome)")
    if words.contains("convert -"), room == "nr_inodes=9" {
      #expect(outcome.error.contains(message + ", with room for 34 MB or more"), "\(outcome)")
    }
  }

  /// A folder whose records cannot be written gets advice that helps there.
  @Test(
    .unsanitized,
    arguments: [
      ("-o ro", "the file system is read-only; write elsewhere with --out"),
      ("-o nr_inodes=1", "the disk is full; free some space or write elsewhere with --out"),
    ])
  func foldersThatTakeNoRecords(_ options: String, _ reason: String) throws {
    let folder = try Folder()
    try folder.makeFolder("temporary")
    try folder.makeFolder("o")
    try folder.write("t.lua", "require('imghost').canvas(40, 30):save('a.png')")
    let words = ["run", "--only-changed", "--out", "o", "t.lua"]
    let outcome = try mounted("mount -t tmpfs \(options) none o", words, in: folder)
    #expect(outcome.status == 2 && outcome.error.contains("cannot be written: \(reason)\n"), "\(outcome)")
  }
}
