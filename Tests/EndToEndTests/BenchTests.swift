import Foundation
import Testing

/// The benchmark's own command line, on the one work that needs neither photographs nor peers.
struct BenchTests {
  private func bench(_ folder: Folder, _ arguments: [String], input: String = "") throws -> Outcome {
    try Command(
      program: Built.program("imghost-bench"), arguments: arguments, folder: folder.path, input: input, seconds: 60
    ).run()
  }

  static let works = [
    "kernel-rgba8", "kernel-rgb8", "kernel-rgb8-small", "kernel-enlarge", "kernel-gray8",
    "kernel-rgba8-alpha", "kernel-16bit", "thumbnails", "thumbnails-floor", "thumbnails-linear",
    "photo-book", "designed-book", "pass-through", "pdf", "large-jpeg", "large-png", "start-up", "scaling", "restarts",
    "memory",
    "qos", "queues", "urgent", "plugins", "formats", "kernel-colour", "thumbnails-p3", "operations", "merge",
    "all",
  ]

  @Test func helpListsEveryWork() throws {
    let outcome = try bench(try Folder(), ["--help"])
    #expect(outcome.status == 0 && outcome.error == "", "\(outcome)")
    let listed = outcome.outputLines.filter { $0.hasPrefix("  ") }
      .compactMap { $0.split(separator: " ").first }.map(String.init)
    #expect(Array(listed.prefix(Self.works.count)) == Self.works)
    #expect(outcome.outputLines.allSatisfy { $0.count <= 100 }, "\(outcome)")
  }

  @Test(arguments: [
    ("", "imghost-bench: which work?; see --help\n"),
    ("kernel-rbg8", "imghost-bench: there is no work 'kernel-rbg8'; see --help\n"),
    ("start-up --runs 0", "imghost-bench: --runs takes a number from 1, not '0'; see --help\n"),
    ("start-up --runs", "imghost-bench: --runs lacks its value; see --help\n"),
    (
      "formats --formats webp,jif",
      "imghost-bench: invalid value 'jif' for --formats: expected some of webp, tiff, avif, gif, heic, jxl, jp2, pdf, "
        + "raw; see --help\n"
    ),
    ("start-up --fast", "imghost-bench: unknown option '--fast'; see --help\n"),
  ])
  func mistake(arguments: String, message: String) throws {
    let outcome = try bench(try Folder(), arguments.split(separator: " ").map(String.init))
    #expect(outcome.status == 2 && outcome.error == message, "\(outcome)")
  }

  @Test func startUpWritesATableAndADrawing() throws {
    let folder = try Folder()
    let outcome = try bench(
      folder, ["start-up", "--runs", "1", "--inputs", "in", "--peers", "none", "--markdown", "t.md", "--svg", "t.svg"])
    outcome.expect(status: 0)
    let rows = outcome.outputLines.filter { $0.hasPrefix("| ") }
    #expect(rows.count == 4)
    #expect(rows.last?.hasPrefix("| a script that opens a small JPEG and saves it | ") == true)
    #expect(String(decoding: folder.bytes("t.md"), as: UTF8.self) == outcome.output)
    #expect(String(decoding: folder.bytes("t.svg"), as: UTF8.self).hasSuffix("</svg>\n"))
  }

  /// The kernels' side of the protocol, and the reference that judges it.
  @Test func judgeTellsARightPictureFromAWrongOne() throws {
    let folder = try Folder()
    let (width, height) = (120, 90)
    // No plain ramp: a wrong filter has to show.
    try folder.write("in.raw", (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0 * $0 / 7 ^ $0 >> 3) })
    let job = "\(width) \(height) 3 8 0 50 37 lanczos3".split(separator: " ").map(String.init)
    let worker = try bench(folder, ["--kernel-worker", "portable", "in.raw", "out.raw"] + job, input: "run\nsave\n")
    #expect(worker.status == 0 && worker.outputLines.count == 3, "\(worker)")
    #expect(worker.outputLines.last == "saved")
    let right = folder.bytes("out.raw")
    #expect(right.count == 50 * 37 * 3)
    try folder.write("wrong.raw", right.map { $0 ^ 8 })
    let judged = try bench(folder, ["--judge", "in.raw"] + job + ["2", "out.raw", "wrong.raw"])
    let errors = judged.outputLines.map { $0.split(separator: " ").compactMap { Double($0) } }
    try #require(errors.count == 2, "\(judged)")
    #expect(errors[0][0] <= 1 && errors[0][1] >= 58.5, "\(judged)")
    #expect(errors[1][0] >= 8 && errors[1][1] < 35, "\(judged)")
  }
}
