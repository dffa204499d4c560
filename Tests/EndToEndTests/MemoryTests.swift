import Foundation
import TestSupport
import Testing

#if os(Linux)
  /// Memory does not grow with the number of pictures, because waiting pictures take little.
  @Suite(.unsanitized, .serialized) struct MemoryTests {
    private static let (few, many) = (100, 2_000)

    /// Returns a folder with one small JPEG under 2,000 names.
    private func pictures() throws -> Folder {
      let folder = try Folder()
      let made = try folder.run("img.canvas(96, 72, { background = \"teal\" }):save(\"one.jpg\")")
      made.expect(status: 0)
      try folder.makeFolder("photos")
      for index in 0..<Self.many {
        let name = "photos/photo-\(String(10_000 + index).dropFirst()).jpg"
        try FileManager.default.linkItem(atPath: folder("one.jpg"), toPath: folder(name))
      }
      return folder
    }

    /// Returns the peak of a run's resident memory in KiB: the kernel's `VmHWM`, which is polled because it disappears
    /// with the process.
    private func peak(_ folder: Folder, _ script: String, _ pattern: String, jobs: String = "2", memory: String = "2G")
      throws -> Double
    {
      try folder.write("t.lua", "local img = require \"imghost\"\n" + script)
      let running = try Command(
        arguments: ["run", "--jobs", jobs, "--memory", memory, "t.lua", pattern], folder: folder.path
      ).start()
      var peak = 0.0
      let hasEnded = running.wait(seconds: 60) {
        peak = max(peak, Self.residentPeak(of: running.process.processIdentifier))
        return !running.process.isRunning
      }
      let outcome = running.finish(within: 1)
      #expect(hasEnded && outcome.status == 0, "\(outcome)")
      return peak
    }

    private static func residentPeak(of process: Int32) -> Double {
      let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      return line?.split(separator: " ").compactMap { Double($0) }.first ?? 0
    }

    /// A script ends near its limit of memory, whatever it makes of: what the host keeps for it counts as what it takes.
    @Test(
      .thorough,
      arguments: [
        "img.open(\"n/\" .. i .. \".png\")", "img.open(\"n/\" .. i .. \".png\", { page = 2 })", "p:resize{ width = i }",
        "p:crop(1, 1, i, i)", "p:flip()", "img.canvas(i, 9)", "p:save(\"out/\" .. i .. \".jpg\")",
        "p:save(\"out/\" .. i .. \".jpg\", { quality = i % 90 + 5, progressive = true })",
        "img.page{ title = \"t\" .. i }",
        "img.page{ p, p, slots = { { 0, 0, 0.5, 1, caption = \"ab\" }, { 0.5, 0, 0.5, 1 } } }",
        "img.book(\"b\" .. i .. \".pdf\", { p, p, p, p })", "p:tiles(\"t\" .. i)", "p:text{ text = \"t\" .. i }",
        "p:convolve{ kernel = { { 0, 1, 0 }, { 1, i, 1 }, { 0, 1, 0 } } }", "local _ = p.exif[\"q\" .. i]",
        "p:save(i .. \".jpg\"):on_done(print)",
      ])
    func scriptsEndNearTheirLimit(_ call: String) throws {
      let folder = try Folder()
      try folder.copy(Built.photos + "/coffee.png", to: "a.png")
      func end(_ body: String) throws -> (peak: Double, outcome: Outcome) {
        try folder.write("t.lua", "local img = require \"imghost\"\nlocal p = img.open(\"a.png\")\n" + body)
        let running = try Command(
          arguments: ["run", "--dry-run", "--script-memory", "12M", "--script-time", "600", "t.lua"],
          folder: folder.path
        ).start()
        var peak = 0.0
        _ = running.wait(seconds: 60) {
          peak = max(peak, Self.residentPeak(of: running.process.processIdentifier))
          return !running.process.isRunning
        }
        return (peak, running.finish(within: 1))
      }
      let least = try end("for i = 1, 3 do \(call) end error()").peak
      let (most, outcome) = try end("for i = 1, 1e7 do \(call) end")
      #expect(outcome.error.contains("t.lua:3: the script needs more than 12 MiB of memory"), "\(outcome)")
      // A third more, and what the program itself takes for the first of each kind.
      #expect(most - least <= 1.3 * 12_288 + 3_000, "\(Int(most)) KiB, and \(Int(least)) KiB without")
    }

    /// A page without losses is compressed row by row: its 18 MB are never in memory at once. Two strips are, and
    /// a block for two workers with what becomes of it.
    @Test func losslessPagesAreStreamed() throws {
      let folder = try Folder()
      func book(_ height: Int) throws -> Double {
        try peak(
          folder,
          "img.book(\"b.pdf\", img.canvas(1200, \(height), { background = \"teal\" }):flop(), "
            + "{ lossless = true })", "")
      }
      let (small, large) = (try book(40), try book(5_000))
      #expect(large <= small + 8_000, "\(Int(large)) KiB of 18 MB, \(Int(small)) KiB of 0.1 MB")
    }

    /// Encoders of several outputs take memory for one worker each: a piece of 120 KB.
    @Test(.thorough) func outputsOfOnePictureTakeLittle() throws {
      let folder = try Folder()
      func saves(_ count: Int) throws -> Double {
        try peak(
          folder,
          "local p = img.canvas(1500, 1200, { background = \"teal\" }):flop() "
            + "for i = 1, \(count) do p:save(i .. \".png\") end", "", jobs: "16")
      }
      let (small, large) = (try saves(2), try saves(62))
      #expect(large <= small + 30_000, "\(Int(large)) KiB of 62 PNGs, \(Int(small)) KiB of 2")
    }

    /// While a page takes long, those after it are made, and wait in memory without their bytes: 25 KB each.
    @Test(.thorough) func pagesBehindASlowOneKeepNoBytes() throws {
      let folder = try Folder()
      let made = try folder.run(
        "img.open(\"\(Built.photos)/coffee.png\"):fill(240, 180)"
          + ":save(\"one.jpg\", { quality = 90 })")
      made.expect(status: 0)
      let size = folder.bytes("one.jpg").count
      #expect((16 << 10...32 << 10).contains(size), "\(size) bytes")
      try folder.makeFolder("photos")
      for index in 0..<1_000 {
        let name = "photos/\(String(10_000 + index).dropFirst()).jpg"
        try FileManager.default.linkItem(atPath: folder("one.jpg"), toPath: folder(name))
      }
      func book(_ pattern: String) throws -> Double {
        try peak(
          folder,
          """
          local pages = { img.canvas(3000, 2000, { background = "teal" }):blur(40):flop():blur(40) }
          for _, p in ipairs(img.glob(arg[1])) do pages[#pages + 1] = p end
          img.book("b.pdf", pages)
          """, pattern)
      }
      let (small, large) = (try book("photos/000*.jpg"), try book("photos/*.jpg"))
      #expect(large <= small + 6_000, "\(Int(large)) KiB of 1,000 pages, \(Int(small)) of 10")
    }

    /// A chain that would hold more than the budget is broken: whole pictures are made in between.
    @Test(.thorough) func longChainsStayWithinTheBudget() throws {
      let folder = try Folder()
      func chain(_ memory: String, _ name: String) throws -> Double {
        try peak(
          folder,
          "local p = img.open(\"\(Built.photos)/rocket.jpg\"):fit(160, 107) "
            + "for i = 1, 1000 do p = p:blur(2) end p:save(\"\(name)\")", "", memory: memory)
      }
      let (free, bound) = (try chain("2G", "free.png"), try chain("16M", "bound.png"))
      #expect(free >= bound + 30_000, "\(Int(free)) KiB, and \(Int(bound)) KiB within 16 MB")
      #expect(folder.bytes("free.png") == folder.bytes("bound.png"))
    }

    /// A save for each picture is a job for each, which takes some more.
    @Test(
      .thorough,
      arguments: [
        (
          """
          img.glob(arg[1]):map(function(p) return p:thumbnail(32, 32) end)
            :save("out/{stem}.jpg", { quality = 85 })
          """, 1.2
        ),
        (
          "for _, p in ipairs(img.glob(arg[1])) do p:thumbnail(32, 32):save(\"out/{stem}.jpg\") end", 1.27
        ),
        (
          "img.book(\"book.pdf\", img.glob(arg[1]):map(function(p) return p:thumbnail(32, 32) end))", 1.2
        ),
        ("img.book(\"book.pdf\", img.glob(arg[1]))", 1.2),
      ])
    func thousandsOfPictures(_ script: String, _ most: Double) throws {
      let folder = try pictures()
      var (small, large) = (0.0, 0.0)
      // Decoding begins while the last is let go of: how much the two overlap differs from run to run.
      for _ in 1...3 {
        small = try peak(folder, script, "photos/photo-00*.jpg")
        large = try peak(folder, script, "photos/photo-*.jpg")
        if large <= small * most { break }
      }
      #expect(small > 1_000)
      #expect(
        large <= small * most,
        "\(Int(large)) KiB of \(Self.many) pictures, \(Int(small)) KiB of \(Self.few): \(script)")
    }
  }
#endif
