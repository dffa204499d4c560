import Foundation
import TestSupport
import Testing

/// The same inputs give the same bytes, whatever the number of workers and the instruction set.
struct SameBytesTests {
  private static let script = """
    local photos = img.glob(arg[1] .. "/{rocket,coffee,chelsea}.*")
    photos:map(function(p)
      return p:resize{ width = 333 }:sharpen{ amount = 0.6 }:modulate{ saturation = 1.2 }
    end):save("web/{stem}.jpg", { progressive = true })
    photos:map(function(p) return p:fill(201, 133, { position = "attention" }):blur(1.5) end)
      :save("tiles/{stem}.png")
    photos:map(function(p) return p:rotate(7):grayscale():normalize() end):save("gray/{stem}.png")
    local mark = img.open(arg[1] .. "/coffee.png"):resize(90, 60)
    local pages = photos:map(function(p)
      return p:fill(480, 320):composite{ over = mark, gravity = "southeast", opacity = 0.5 }
              :plugin("vignette", { strength = 0.4 })
    end)
    img.book("book.pdf", pages, { caption = "{stem}" })
    img.book("own.pdf", photos, { lossless = true })
    """

  private func write(_ options: [String], _ environment: [String: String?] = [:]) throws -> [String: [UInt8]] {
    let folder = try Folder()
    try folder.write("t.lua", "local img = require \"imghost\"\n" + Self.script)
    let outcome = try folder.imghost(
      ["run"] + options + ["t.lua", Built.photos], environment: environment, seconds: 60)
    outcome.expect(status: 0)
    var files: [String: [UInt8]] = [:]
    for name in folder.files where name != "t.lua" { files[name] = folder.bytes(name) }
    #expect(files.count == 11)
    return files
  }

  /// Every format that is written, and every other kind of output.
  private static let kinds = """
    local dated = arg[2] == "dated"
    local photo = img.open(arg[1] .. "/rocket.jpg"):fit(120, 80):with_metadata{ title = "Rocket" }
    local soft = img.canvas(90, 60, { background = "#20508080" })
    for name in arg[3]:gmatch("%w+") do
      photo:save("one/photo." .. name)
      soft:save("one/soft." .. name)
      photo:sharpen():save("one/{hash:8}." .. name)
    end
    local frames = img.list{ photo, photo:flip(), photo:invert() }
    for _, name in ipairs{ "webp", "avif", "jxl" } do img.animation("all/a." .. name, frames, { delay = 0.2 }) end
    img.multipage("all/m.tif", frames)
    for _, name in ipairs{ "deepzoom", "iiif" } do photo:tiles("tiles-" .. name, { layout = name, size = 64 }) end
    local function book(name, options, pictures)
      options.title = options.title or "Walks"
      return img.book("books/" .. name .. ".pdf", pictures or frames, options)
    end
    local designed = book("auto", { layout = "auto", paper = "20x20", paper_thickness = "0.15mm", tagged = true })
    book("cover", { layout = "cover", binding = "hardcover" }, designed)
    for _, name in ipairs{ "single", "grid", "justified", "masonry", "spread" } do
      book(name, { layout = name, paper = "a5", caption = "{stem}", verify = true })
    end
    book("lossless", { lossless = true })
    book("linear", { linearize = true })
    for _, name in ipairs{ "pdf/a-1b", "pdf/a-2b" } do book(name:gsub("/", ""), { conformance = name }) end
    for _, name in ipairs(dated and { "pdf/x-1a", "pdf/x-4" } or {}) do
      book(name:gsub("/", ""), { paper = "a5", bleed = "3mm", conformance = name, output_intent = "fogra39" })
    end
    img.contact_sheet("books/sheet.pdf", frames)
    """

  /// No output states when, where, as which process or on how many workers it was made; only a date that
  /// `SOURCE_DATE_EPOCH` gives.
  @Test(.wholeRuns, arguments: [nil, "1700000000"]) func everyRun(epoch: String?) throws {
    var made: [[String: [UInt8]]] = []
    for (jobs, pause) in [("1", 0.0), ("3", 1.1)] {
      Thread.sleep(forTimeInterval: pause)
      let folder = try Folder()
      let unknown = try folder.imghost("convert", Built.photos + "/rocket.jpg", "-o", "a.none").error
      let formats = try #require(unknown.components(separatedBy: "valid: ").dropFirst().first)
      let words = [Built.photos, epoch == nil ? "" : "dated", formats]
      try folder.write("t.lua", "local img = require \"imghost\"\n" + Self.kinds)
      let outcome = try folder.imghost(
        ["run", "--jobs", jobs, "--manifest", "manifest.json", "--design", "design.lua", "t.lua"] + words,
        environment: ["SOURCE_DATE_EPOCH": epoch], seconds: 120)
      outcome.expect(status: 0)
      made.append(Dictionary(uniqueKeysWithValues: folder.files.map { ($0, folder.bytes($0)) }))
    }
    #expect(made[0].count > 60 && made[0].keys.sorted() == made[1].keys.sorted())
    for (name, bytes) in made[0].sorted(by: { $0.key < $1.key }) { #expect(made[1][name] == bytes, "\(name)") }
  }

  private static let variants: [(name: String, options: [String], environment: [String: String?])] =
    [
      ("repeated", [], [:]),
      ("one worker", ["--jobs", "1"], [:]),
      ("many workers", ["--jobs", "7"], [:]),
      ("little memory", ["--memory", "1M"], [:]),
      ("another class", ["--qos", "background"], [:]),
      ("plain instructions", ["--jobs", "1"], ["IMGHOST_CPU": "baseline"]),
    ]

  @Test(.thorough) func everyWay() throws {
    let meant = try write(["--jobs", "2"])
    for variant in Self.variants {
      let made = try write(variant.options, variant.environment)
      #expect(made.keys.sorted() == meant.keys.sorted(), "\(variant.name)")
      for (name, bytes) in meant { #expect(made[name] == bytes, "\(variant.name): \(name) differs") }
    }
  }
}
