import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// `max_bytes` and `target`, for which `save` searches the quality.
struct SaveGoalTests {
  private static let photo = Built.photos + "/coffee.png"

  private func run(_ folder: Folder, _ script: String, _ options: [String] = []) throws -> Outcome {
    try folder.write("t.lua", "local img = require \"imghost\"\nlocal p = img.open(arg[1]):resize(360)\n" + script)
    return try folder.imghost(["run"] + options + ["t.lua", Self.photo], seconds: 60)
  }

  /// The similarity of a file's pixels to a picture's.
  private func similarity(_ picture: Pixels, _ file: String) throws -> Double {
    let other = try Pixels(file: file)
    let comparison = StructuralSimilarity(picture.layout, other.layout)
    picture.bytes.withUnsafeBytes { first in
      other.bytes.withUnsafeBytes { second in
        for y in 0..<picture.height {
          comparison.add(
            first.baseAddress! + y * picture.layout.rowByteCount, second.baseAddress! + y * other.layout.rowByteCount)
        }
      }
    }
    return comparison.mean
  }

  /// A file equals that of a plain `save` at the best quality, and the next quality misses the goal. Measured over all
  /// qualities.
  @Test(arguments: sampled(["progressive = false", "progressive = true, optimise = true"]))
  func equalsAPlainSave(_ options: String) throws {
    let folder = try Folder()
    let limits = [4_000, 5_555, 12_345, 16_384, 20_000, 30_000, 61_440, 10_000_000]
    let targets = [0.5, 0.9, 0.95, 0.98, 0.995]
    let outcome = try run(
      folder,
      """
      p:save("picture.png")
      for q = 1, 100 do p:save("q" .. q .. ".jpg", { quality = q, \(options) }) end
      for _, n in ipairs{ \(limits.map(String.init).joined(separator: ", ")) } do
        p:save("m" .. n .. ".jpg", { max_bytes = n, \(options) })
        p:save("u" .. n .. ".jpg", { max_bytes = n, quality = 60, \(options) })
      end
      for i, t in ipairs{ \(targets.map { "\($0)" }.joined(separator: ", ")) } do
        p:save("t" .. i .. ".jpg", { target = t, \(options) })
        p:save("b" .. i .. ".jpg", { target = t, max_bytes = 12345, \(options) })
      end
      """)
    outcome.expect(status: 0, error: ") at quality ")
    let files = (1...100).map { folder.bytes("q\($0).jpg") }
    let picture = try Pixels(file: folder("picture.png"))
    let similarities = try (1...100).map { try similarity(picture, folder("q\($0).jpg")) }
    func quality(_ name: String) throws -> Int { try #require(files.firstIndex(of: folder.bytes(name)), "\(name)") + 1 }
    for limit in limits {
      let found = try quality("m\(limit).jpg")
      #expect(files[found - 1].count <= limit)
      #expect(found == 100 || files[found].count > limit)
      // A given quality is the highest.
      #expect(try quality("u\(limit).jpg") == min(60, found))
    }
    let small = try quality("m12345.jpg")
    for (index, target) in targets.enumerated() {
      let found = try quality("t\(index + 1).jpg")
      #expect(similarities[found - 1] >= target)
      #expect(found == 1 || similarities[found - 2] < target)
      #expect(try quality("b\(index + 1).jpg") == min(found, small))
    }
  }

  /// The quality does not depend on the number of workers.
  @Test(.wholeRuns) func sameBytesWithAnyWorkers() throws {
    let script = """
      for _, n in ipairs{ "6k", "9.5k", "20k" } do p:save(n .. ".jpg", { max_bytes = n }) end
      local whole = img.open(arg[1])
      whole:save("whole.jpg", { target = 0.97 })
      img.open(arg[1]):flip():save("both.jpg", { target = 0.99, max_bytes = "1M", progressive = true })
      """
    let names = ["6k.jpg", "9.5k.jpg", "20k.jpg", "whole.jpg", "both.jpg"]
    var meant: [[UInt8]] = []
    for jobs in ["1", "2", "8"] {
      let folder = try Folder()
      let outcome = try run(folder, script, ["--jobs", jobs])
      outcome.expect(status: 0)
      let made = names.map { folder.bytes($0) }
      if meant.isEmpty { meant = made }
      #expect(made == meant, "\(jobs) workers")
    }
  }

  /// A goal that cannot be met leaves no file, and the message says how far it came.
  @Test func whatCannotBeMet() throws {
    let folder = try Folder()
    let small = try run(folder, "p:save(\"a.jpg\", { max_bytes = 500 })")
    #expect(small.status != 0 && small.messages.count == 1)
    #expect(
      small.messages[0].wholeMatch(
        of: /t\.lua:3: save: a\.jpg: at quality 1 the file still has \d+ bytes, and 'max_bytes' is 500; .*/) != nil,
      "\(small)")
    let similar = try run(folder, "p:save(\"a.jpg\", { target = 1, quality = 40 })")
    #expect(
      similar.messages.first?.wholeMatch(
        of: /t\.lua:3: save: a\.jpg: quality 40 reaches a similarity of 0\.\d+, and 'target' is 1; .*/) != nil,
      "\(similar)")
    #expect(folder.files == ["t.lua"])
  }

  /// A format without a quality is told before anything is written. Plugins add to the list of the others.
  @Test func otherFormats() throws {
    let folder = try Folder()
    let outcome = try run(folder, "p:save(\"a.png\", { max_bytes = \"80k\" })")
    outcome.expect(status: 3)
    let start = "t.lua:3: save: 'max_bytes' finds a quality, and PNG files have none; use it for .jpg"
    #expect(outcome.messages.count == 1 && outcome.messages[0].hasPrefix(start), "\(outcome)")
  }

  /// An untouched file that is small enough is copied; one that is not, or is to reach a similarity, is encoded.
  @Test func copiesWhatIsSmallEnough() throws {
    let folder = try Folder()
    let source = Built.photos + "/rocket.jpg"
    let size = try #require(FileManager.default.contents(atPath: source)).count
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      local p = img.open(arg[1])
      p:save("same.jpg", { max_bytes = \(size) })
      p:save("smaller.jpg", { max_bytes = \(size - 1) })
      p:save("similar.jpg", { target = 0.9 })
      """)
    let plan = try folder.imghost(["run", "--dry-run", "t.lua", source])
    #expect(plan.output.contains("rocket.jpg 640x427 jpeg > copied as it is"), "\(plan)")
    #expect(plan.output.contains("rocket.jpg 640x427 jpeg > find quality max_bytes=\(size - 1)"), "\(plan)")
    #expect(plan.output.contains("rocket.jpg 640x427 jpeg > find quality target=0.9"), "\(plan)")
    let outcome = try folder.imghost("run", "t.lua", source)
    outcome.expect(status: 0)
    #expect(folder.bytes("same.jpg").count == size)
    #expect(folder.bytes("smaller.jpg").count < size)
    #expect(folder.bytes("similar.jpg").count < size)
  }
}
