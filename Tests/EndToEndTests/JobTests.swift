import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Jobs, lists and pictures as a script sees them: each script checks itself with `assert`.
struct JobTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let script: String
    /// Standard output, lines.
    var prints: [String] = []
    var files: [String] = []
    var options: [String] = []
    var testDescription: String { name }
  }

  /// Options for scripts that must end while a job takes minutes, also on machines with one processor.
  private static let twoWorkers = ["--jobs", "2"]

  static let cases: [Case] = [
    Case(
      name: "await gives a result",
      script: """
        local r = p:save("a.png"):await()
        assert(r.ok == true and r.written == 1 and r.failed == 0 and r.cancelled == false)
        assert(#r.files == 1 and r.files[1] == "a.png" and #r.errors == 0)
        """, files: ["a.png"]),
    Case(
      name: "a book's result",
      script: """
        local r = img.book("b.pdf", { p, p:flip() }, { verify = true }):await()
        assert(r.ok and r.pages == 2 and r.path == "b.pdf" and r.verified == true)
        assert(type(r.verification) == "string" and r.written == 1)
        local q = img.book("c.pdf", p):await()
        assert(q.ok and q.verified == nil)
        """, files: ["b.pdf", "c.pdf"]),
    Case(
      name: "a book of pages that are nearly the same",
      script: """
        local t = {}
        for i = 1, 60 do t[i] = img.canvas(20 + i % 7, 20, { background = { i % 40 + 1, 0, 0 } }) end
        local r = img.book("b.pdf", t, { verify = true }):await()
        assert(r.verified, r.verification)
        """, files: ["b.pdf"]),
    Case(
      name: "states",
      script: """
        local j = p:save("a.png")
        assert(j.state == "waiting")
        j:await()
        assert(j.state == "finished")
        local k = p:save("b.png")
        k:cancel()
        assert(k.state == "cancelled")
        local r = k:await()
        assert(k.state == "cancelled" and r.cancelled and not r.ok and r.written == 0)
        """, files: ["a.png"]),
    Case(
      name: "awaiting twice, then going on",
      script: """
        local j = p:save("a.png")
        assert(j:await().ok and j:await().ok)
        local again = img.open("a.png")
        assert(again.width == 60)
        again:resize{ width = 30 }:save("b.png")
        """, files: ["a.png", "b.png"]),
    Case(
      name: "callbacks",
      script: """
        local j = p:save("a.png")
        assert(j:on_done(function(r) print("one", r.ok, j.state) end) == j)
        j:on_done(function(r) print("two", r.written) end)
        print("before")
        j:await()
        print("after")
        j:on_done(function() print("late") end)
        """, prints: ["before", "one\ttrue\tfinished", "two\t1", "after", "late"],
      files: ["a.png"]),
    Case(
      name: "a callback that saves more",
      script: """
        p:save("a.png"):on_done(function()
          p:flip():save("b.png"):on_done(function() print("b") p:flop():save("c.png") end)
        end)
        """, prints: ["b"], files: ["a.png", "b.png", "c.png"]),
    Case(
      name: "a callback that awaits",
      script: """
        p:save("a.png"):on_done(function()
          print(p:flip():save("b.png"):await().ok)
        end)
        """, prints: ["true"], files: ["a.png", "b.png"]),
    Case(
      name: "cancelling in a callback",
      script: """
        local slow = endless()
        local a, b = img.canvas(8, 6):save("a.png"), slow:save("b.png")
        b:on_done(function(r) print(r.cancelled, b.state) end)
        a:on_done(function() b:cancel() a:cancel() end)
        """, prints: ["true\tcancelled"], files: ["a.png"]),
    Case(
      name: "several jobs as one",
      script: """
        local all = img.all{ p:save("a.png"), img.book("b.pdf", p) }
        all:on_done(function(r) print("all", r.ok, #r.results) end)
        local r = all:await()
        assert(r.ok and #r.results == 2 and r.results[2].pages == 1)
        assert(img.all{}:await().ok)
        assert(img.all{ img.all{ p:save("c.png") } }:await().results[1].ok)
        """, prints: ["all\ttrue\t2"], files: ["a.png", "b.pdf", "c.png"]),
    Case(
      name: "the first of several jobs",
      script: """
        local slow = endless()
        -- Not of a file, which is read first where the system has dropped it.
        local a, b = img.canvas(8, 6):save("a.png"), slow:save("b.png")
        local result, winner = img.race{ b, a }:await()
        assert(winner == a and result.ok and result.files[1] == "a.png")
        img.race{ a, img.all{ b } }:on_done(function(r, w) print(w == a, r.written) end)
        b:cancel()
        local r = b:await()
        assert(r.cancelled and r.reason:find("the script cancelled it at t.lua:%d+"), r.reason)
        """, prints: ["true\t1"], files: ["a.png"]),
    Case(
      name: "the first of several jobs on one worker",
      script: """
        local a, b = img.canvas(8, 6):save("a.png"), endless():save("b.png")
        local _, winner = img.race{ b, a }:await()
        assert(winner == a)
        b:cancel()
        """, files: ["a.png"], options: ["--jobs", "1"]),
    Case(
      name: "a cancelled job's name is free again",
      script: """
        local a = endless():save("a.png")
        a:cancel()
        assert(a:await().cancelled)
        assert(p:save("a.png"):await().ok)
        """, files: ["a.png"]),
    Case(
      name: "classes of service",
      script: """
        local j, seven = img.qos("background", function()
          return img.qos("utility", function() return p:save("a.png") end), 7
        end)
        assert(seven == 7 and j:await().ok)
        assert(not pcall(img.qos, "background", function() error("x") end))
        p:save("b.png", { qos = "user-interactive" })
        """, files: ["a.png", "b.png"]),
    Case(
      name: "one after the other",
      script: """
        local order = {}
        local function note(job, name) job:on_done(function() order[#order + 1] = name end) return job end
        local slow = note(img.canvas(1500, 1500):blur(30):save("a.png"), "a")
        local second = note(p:save("b.png", { after = slow }), "b")
        local third = note(p:save("c.png", { after = img.all{ slow, second } }), "c")
        assert(third.state == "waiting")
        local r = third:await()
        assert(r.ok and table.concat(order) == "abc", table.concat(order))
        """, files: ["a.png", "b.png", "c.png"]),
    Case(
      name: "what comes after a cancelled job is cancelled",
      script: """
        local slow = endless()
        local first = slow:save("a.png")
        local second = p:save("b.png", { after = { first } })
        local third = img.book("c.pdf", p, { after = second })
        p:save("d.png"):on_done(function() first:cancel() end)
        local r = third:await()
        assert(r.cancelled and r.reason:match("^the job of .+:%d+ was cancelled$"), r.reason)
        assert(second.state == "cancelled" and third.state == "cancelled")
        """, files: ["d.png"], options: twoWorkers),
    Case(
      name: "races and groups inside each other",
      script: """
        local slow, quick = endless():save("a.png"), p:save("b.png")
        local _, winner = img.race{ img.race{ slow, quick }, slow }:await()
        assert(quick.state == "finished" and slow.state ~= "finished")
        img.all{ img.race{ slow, quick }, quick }:await()
        assert(slow.state ~= "finished")
        slow:cancel()
        """, files: ["b.png"], options: twoWorkers),
    Case(
      name: "states never go back",
      script: """
        local j = p:save("a.png")
        j:cancel()
        assert(j.state == "cancelled")
        for i = 1, 20 do
          p:save(i .. ".png"):await()
          assert(j.state == "cancelled", j.state)
        end
        local none = p:save("z.png", { after = {} })
        assert(p:save("y.png", { after = img.all{} }):await().ok and none:await().ok)
        """, files: (1...20).map { "\($0).png" } + ["y.png", "z.png"]),
    Case(
      name: "a callback that fails leaves the others",
      script: """
        local j, k = p:save("a.png"), p:save("b.png")
        j:on_done(function() error("one") end)
        j:on_done(function() print("two") end)
        k:on_done(function() print("three") end)
        assert(not pcall(function() return img.all{ j, k }:await() end))
        img.all{ j, k }:await()
        p:save("c.png"):await()
        """, prints: ["two", "three"], files: ["a.png", "b.png", "c.png"]),
    Case(
      name: "the class of a block stays in it",
      script: """
        local a, b = p:save("a.png")
        a:on_done(function() b = p:save("b.png") end)
        img.qos("background", function() a:await() end)
        assert(b:await().ok)
        assert(img.qos("utility", function() return img.qos("default", function() return 5 end) end) == 5)
        """, files: ["a.png", "b.png"]),
    Case(
      name: "a chain of thousands that is cancelled",
      script: """
        local job = endless():save("a.png")
        local first = job
        for i = 1, 6000 do job = p:save("n" .. i .. ".png", { after = job }) end
        p:save("b.png"):await()
        first:cancel()
        local r = job:await()
        assert(r.cancelled and job.state == "cancelled")
        """, files: ["b.png"], options: twoWorkers),
    Case(
      name: "lists",
      script: """
        local l = img.list{ p, p:resize(30, 20), p:resize(10, 10) }
        assert(#l == 3 and l[1].width == 60 and l[4] == nil and l[0] == nil)
        assert(#l:map(function(q, i) assert(q.width == l[i].width) return q:flip() end) == 3)
        assert(#l:filter(function(q) return q.width > 20 end) == 2)
        local sorted = l:sort_by(function(q) return q.width end)
        assert(sorted[1].width == 10 and sorted[3].width == 60)
        assert(l:sort_by(function() return "same" end)[2].width == 30)
        assert(#l:take(2) == 2 and #l:take(9) == 3 and #l:take(0) == 0)
        assert(#(l .. l:take(1)) == 4 and #(l .. p) == 4 and #img.list(p) == 1 and #img.list(l) == 3)
        local n = 0
        for _, q in ipairs(l) do n = n + q.width end
        for _, q in pairs(l) do n = n + q.width end
        assert(n == 200)
        l:each(function(q, i) n = n + i end)
        assert(n == 206)
        local size = l:smallest_common_size()
        assert(size.width == 10 and size.height == 10)
        l:save("{index:2}.png")
        """, files: ["01.png", "02.png", "03.png"]),
    Case(
      name: "pictures do not change",
      script: """
        local q = p:resize(30, 20)
        assert(p.width == 60 and q.width == 30 and q:flip().width == 30 and p.width == 60)
        assert(p == p and p ~= q)
        assert(tostring(p):find("60x40"))
        """),
    Case(
      name: "properties",
      script: """
        assert(p.width == 60 and p.height == 40 and p.bands == 3 and p.format == "png")
        assert(p.has_alpha == false and p.path == "p.png" and p.name == "p.png" and p.stem == "p")
        assert(type(p.exif) == "table" and p.dpi == nil)
        assert(p:flip().stem == "p" and img.canvas(2, 2, { background = "#00000000" }).has_alpha)
        """),
    Case(
      name: "stats",
      script: """
        local s = img.canvas(20, 10, { background = { 10, 20, 30 } }):stats()
        for band, value in ipairs{ 10, 20, 30 } do
          assert(s.minimum[band] == value and s.maximum[band] == value and s.mean[band] == value)
          assert(s.deviation[band] == 0 and s.entropy[band] == 0)
          assert(s.histogram[band][value + 1] == 200)
        end
        assert(s.is_opaque)
        assert(not img.canvas(2, 2, { background = "#11223344" }):stats().is_opaque)
        """),
    Case(
      name: "a picture on itself, 40 times",
      script: """
        local q = p
        for i = 1, 40 do q = q:composite{ over = q } end
        q:save("a.png")
        """, files: ["a.png"]),
    Case(
      name: "2,000 operations in a row",
      script: """
        local q = p
        for i = 1, 1000 do q = q:flip():invert() end
        assert(q:stats().mean[1] == p:stats().mean[1])
        q:save("a.png")
        """, files: ["a.png"]),
    Case(
      // A sanitizer's frames on the stack are larger.
      name: "1,000 pictures inside each other",
      script: """
        local q = p
        for i = 1, \(isSanitized ? 100 : 1000) do q = img.canvas(60, 40):composite{ over = q } end
        q:save("a.png")
        """, files: ["a.png"]),
    Case(
      name: "1,000 overlays on one canvas",
      script: """
        local c = img.canvas(100, 100)
        for i = 0, 999 do c = c:composite{ over = img.open("p.png"):resize(3, 2), left = i % 90 } end
        c:save("a.png")
        """, files: ["a.png"]),
    Case(
      name: "nothing but headers", script: "assert(p.width == 60) print(img.version)",
      prints: ["0.2.0"]),
  ]

  /// A picture that takes minutes: a busy machine may let seconds pass before it is cancelled.
  private static let endless = """
    local function endless() \
    local q = img.canvas(12000, 12000) for i = 1, 30 do q = q:blur(200) end return q end
    """

  @Test(arguments: sampled(cases))
  func script(_ row: Case) throws {
    let folder = try Folder()
    try folder.write("p.png", try Pixels.waves(60, 40).png())
    try folder.write(
      "t.lua", "local img = require \"imghost\" local p = img.open(\"p.png\") \(Self.endless)\n" + row.script
    )
    let outcome = try folder.imghost(["run"] + row.options + ["t.lua"])
    outcome.expect(status: 0)
    #expect(outcome.outputLines == row.prints, "\(outcome)")
    #expect(folder.files == (["p.png", "t.lua"] + row.files).sorted())
  }

  /// Many outputs, many files: in one run, in bounded time.
  @Test(.thorough) func thousandsOfOutputs() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      """
      local c = img.canvas(2, 2)
      for i = 1, 3000 do c:save("out/" .. i .. ".png") end
      """, seconds: 60)
    outcome.expect(status: 0)
    #expect(Built.files(in: folder("out")).count == 3000)
  }

  /// Mistakes by the thousand are told in no time, and no file is opened twice for them. The last line sums them up.
  @Test(.thorough) func thousandsOfMistakes() throws {
    let folder = try Folder()
    let outcome = try folder.run(
      "for i = 1, 5000 do img.open(\"m\" .. i .. \".jpg\"):save(i .. \".png\") end",
      "--on-error", "continue", seconds: 10)
    #expect(outcome.status == 1 && outcome.messages.count == 5001)
  }

  /// As many files open at a time as the system allows, not as few as a shell's first limit.
  @Test func moreFilesThanTheShellAllows() throws {
    let folder = try Folder()
    try folder.write("p.png", try Pixels.waves(60, 40).png())
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      local c = img.canvas(100, 100)
      for i = 0, 199 do c = c:composite{ over = img.open("p.png"):resize(3, 2), left = i % 90 } end
      c:save("a.png")
      """)
    let script = "ulimit -S -n 64; exec '\(Built.program("imghost"))' run t.lua"
    let outcome = try Command(program: "/bin/sh", arguments: ["-c", script], folder: folder.path).run()
    #expect(outcome.status == 0 && folder.exists("a.png"), "\(outcome)")
  }

  @Test(.thorough) func thousandFiles() throws {
    let folder = try Folder()
    let bytes = try Pixels.waves(12, 9).jpeg()
    for number in 1...1000 { try folder.write("in/\(number).jpg", bytes) }
    let outcome = try folder.run(
      """
      local all = img.glob("in/*.jpg")
      assert(#all == 1000 and all[2].stem == "2" and all[1000].stem == "1000")
      all:map(function(p) return p:resize{ width = 6 } end):save("out/{index:4}.jpg")
      img.book("all.pdf", all)
      """, "--jobs", "64", "--memory", "1M", seconds: 60)
    outcome.expect(status: 0)
    #expect(Built.files(in: folder("out")).count == 1000)
    #expect(try folder.imghost("verify", "all.pdf", seconds: 60).status == 0)
  }
}
