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
