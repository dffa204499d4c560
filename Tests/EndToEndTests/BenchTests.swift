import Foundation
import PictureTestSupport
import Testing

/// The benchmark's own command line, on the one work that needs neither photographs nor peers.
struct BenchTests {
  private func bench(_ folder: Folder, _ arguments: [String]) throws -> Outcome {
    try Command(
      program: Built.program("imghost-bench"), arguments: arguments, folder: folder.path, seconds: 60
    ).run()
  }

  static let works = [
    "thumbnails", "thumbnails-linear", "thumbnails-p3", "photo-book", "designed-book", "pass-through", "pdf",
    "large-jpeg", "large-png", "start-up", "scaling", "restarts", "memory", "qos", "queues", "urgent", "plugins",
    "formats", "operations", "merge", "all",
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
    ("thumbnial", "imghost-bench: there is no work 'thumbnial'; see --help\n"),
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

  /// The reference that judges thumbnails and pages.
  @Test func judgeTellsARightPictureFromAWrongOne() throws {
    let folder = try Folder()
    // Fine waves: a wrong filter has to show.
    let photo = Pixels(480, 360) { x, y in
      (0..<3).map { UInt8(128 + 120 * sin(Double(x * x + 2 * y * y) / 9000 * Double($0 + 1))) }
    }
    try folder.write("photo.jpg", photo.jpeg())
    try folder.write(
      "make.lua",
      """
      local img = require "imghost"
      for _, kernel in ipairs{ "lanczos3", "nearest" } do
        img.open("photo.jpg"):resize(200, 150, { kernel = kernel }):save(kernel .. ".jpg", { quality = 98 })
      end
      """)
    #expect(try folder.imghost("run", "make.lua").status == 0)
    let judged = try bench(folder, ["--file-judge", "200", "150", "photo.jpg", "lanczos3.jpg", "nearest.jpg"])
    let decibels = judged.outputLines.compactMap(Double.init)
    try #require(decibels.count == 2, "\(judged)")
    #expect(decibels[0] > 42 && decibels[1] < 35, "\(judged)")
    // Pictures of another size are not judged.
    #expect(try bench(folder, ["--file-judge", "199", "150", "photo.jpg", "lanczos3.jpg"]).status == 1)
  }
}
