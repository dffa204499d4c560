import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// Pyramids of tiles through the built program.
@Suite struct TilesTests {
  /// Noise with an edge, so that errors of one pixel show.
  private static func picture(_ width: Int, _ height: Int, _ format: PixelFormat = .rgb8) -> Pixels {
    var random = SplitMix(width * 1_000 + height)
    return Pixels(width, height, format) { x, y in
      (0..<format.bands).map { band in
        if format.hasAlpha, band == format.bands - 1 { return [0, 90, 255][random.below(3)] }
        return UInt8(random.below(x > y ? 256 : 90))
      }
    }
  }

  /// The levels of a picture in double precision, the largest first: each pixel is the mean of two by two, weighed by
  /// alpha. A missing partner is the pixel itself.
  private static func levels(_ pixels: Pixels) -> [(width: Int, height: Int, values: [[Double]])] {
    var (width, height) = (pixels.width, pixels.height)
    let colours = pixels.layout.format.model.bandCount
    let hasAlpha = pixels.layout.format.hasAlpha
    // Colours times alpha, then alpha.
    var values = (0..<width * height).map { index in
      let pixel = pixels[index % width, index / width].map(Double.init)
      let alpha = hasAlpha ? pixel[colours] / 255 : 1
      return pixel[..<colours].map { $0 * alpha } + [alpha]
    }
    var result: [(Int, Int, [[Double]])] = []
    while true {
      result.append(
        (
          width, height,
          values.map { pixel in
            let alpha = pixel[colours]
            return pixel[..<colours].map { alpha > 0 ? $0 / alpha : 0 } + (hasAlpha ? [alpha * 255] : [])
          }
        ))
      if width == 1, height == 1 { return result }
      let (nextWidth, nextHeight) = ((width + 1) / 2, (height + 1) / 2)
      values = (0..<nextWidth * nextHeight).map { index in
        let (x, y) = (2 * (index % nextWidth), 2 * (index / nextWidth))
        let places = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
        let four = places.map { values[min($0.1, height - 1) * width + min($0.0, width - 1)] }
        return (0...colours).map { band in four.reduce(0) { $0 + $1[band] } / 4 }
      }
      (width, height) = (nextWidth, nextHeight)
    }
  }

  /// Every tile of every level is opened, and its pixels are compared.
  @Test(
    arguments: sampled([
      ("odd sides", 301, 177, PixelFormat.rgb8, 64, 1), ("one row", 500, 1, .rgb8, 100, 0),
      ("gray, one column", 1, 130, .gray8, 32, 3), ("alpha", 130, 97, .rgba8, 40, 2), ("one pixel", 1, 1, .rgb8, 16, 0),
      ("tiles meet the edge", 256, 128, .rgb8, 64, 4), ("the rest is as small as the overlap", 133, 133, .gray8, 64, 5),
    ]))
  func deepZoom(_ row: (String, Int, Int, PixelFormat, Int, Int)) throws {
    let (name, width, height, format, size, overlap) = row
    let folder = try Folder()
    let picture = Self.picture(width, height, format)
    try folder.write("in.png", try picture.png())
    let made = try folder.run(
      "img.open('in.png'):tiles('a/in', { size = \(size), overlap = \(overlap), format = 'png' })")
    made.expect(status: 0)
    let description = String(decoding: folder.bytes("a/in.dzi"), as: UTF8.self)
    for word in [
      "Format=\"png\"", "TileSize=\"\(size)\"", "Overlap=\"\(overlap)\"", "Width=\"\(width)\"", "Height=\"\(height)\"",
    ] { #expect(description.contains(word), "\(description)") }
    let levels = Self.levels(picture)
    var expected: Set<String> = ["in.png", "t.lua", "a/in.dzi"]
    for (index, level) in levels.enumerated() {
      for row in 0..<(level.height + size - 1) / size {
        for column in 0..<(level.width + size - 1) / size {
          let path = "a/in_files/\(levels.count - 1 - index)/\(column)_\(row).png"
          expected.insert(path)
          let (left, top) = (max(0, column * size - overlap), max(0, row * size - overlap))
          let (right, bottom) = (
            min(level.width, (column + 1) * size + overlap), min(level.height, (row + 1) * size + overlap)
          )
          let tile = try Pixels(file: folder(path))
          #expect(tile.width == right - left && tile.height == bottom - top, "\(name): \(path)")
          try compare(tile, path) { x, y in level.values[(y + top) * level.width + x + left] }
        }
      }
    }
    #expect(Set(folder.files) == expected, "\(name)")
  }

  /// Compares by one level; colours only where they are seen.
  private func compare(_ tile: Pixels, _ path: String, _ expected: (Int, Int) -> [Double]) throws {
    var worst = 0.0
    for y in 0..<tile.height {
      for x in 0..<tile.width {
        let (found, wanted) = (tile[x, y], expected(x, y))
        try #require(found.count == wanted.count, "\(path)")
        let alpha = tile.layout.format.hasAlpha ? wanted[wanted.count - 1] : 255
        for (band, (one, other)) in zip(found, wanted).enumerated() where alpha > 8 || band == wanted.count - 1 {
          worst = max(worst, abs(Double(one) - other))
        }
      }
    }
    #expect(worst <= 0.56, "\(path): \(worst)")
  }

  /// A viewer finds each tile at the path that it derives from `info.json`: Image API 3.0, section 4.7.
  @Test(.wholeRuns, arguments: [(700, 433, 128), (64, 64, 64), (129, 20, 128), (50, 30, 256)])
  func imageInformation(_ width: Int, _ height: Int, _ size: Int) throws {
    let folder = try Folder()
    let picture = Self.picture(width, height)
    try folder.write("in file.png", try picture.png())
    let made = try folder.run(
      """
      img.open('in file.png'):tiles('iiif/{stem}', {
        layout = 'iiif', size = \(size), format = 'png', id = 'https://host/pictures/' })
      """)
    made.expect(status: 0)
    let data = Data(folder.bytes("iiif/in file/info.json"))
    let info = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(info["id"] as? String == "https://host/pictures/in%20file")
    #expect(info["profile"] as? String == "level0" && info["type"] as? String == "ImageService3")
    #expect(info["width"] as? Int == width && info["height"] as? Int == height)
    #expect(info["extraFormats"] as? [String] == ["png"])
    let tiles = try #require((info["tiles"] as? [[String: Any]])?.first)
    #expect(tiles["width"] as? Int == size && tiles["height"] as? Int == size)
    let levels = Self.levels(picture)
    var seen: Set<String> = []
    for (index, scale) in try #require(tiles["scaleFactors"] as? [Int]).enumerated() {
      #expect(scale == 1 << index)
      for top in stride(from: 0, to: height, by: size * scale) {
        for left in stride(from: 0, to: width, by: size * scale) {
          let (across, down) = (min(size * scale, width - left), min(size * scale, height - top))
          let (tileWidth, tileHeight) = ((across + scale - 1) / scale, (down + scale - 1) / scale)
          let path = "iiif/in file/\(left),\(top),\(across),\(down)/\(tileWidth),\(tileHeight)/0/default.png"
          let tile = try Pixels(file: folder(path))
          seen.insert(path)
          #expect(tile.width == tileWidth && tile.height == tileHeight, "\(path)")
          try compare(tile, path) { x, y in
            levels[index].values[(y + top / scale) * levels[index].width + x + left / scale]
          }
        }
      }
    }
    for size in try #require(info["sizes"] as? [[String: Int]]) {
      let path = "iiif/in file/full/\(size["width"] ?? 0),\(size["height"] ?? 0)/0/default.png"
      #expect(try Pixels(file: folder(path)).width == size["width"], "\(path)")
      seen.insert(path)
      if size["width"] == width { seen.insert("iiif/in file/full/max/0/default.png") }
    }
    #expect(Set(folder.files) == seen.union(["in file.png", "t.lua", "iiif/in file/info.json"]))
  }

  @Test func levelsAreThoseOfVips() throws {
    let folder = try Folder()
    try folder.write("in.png", try Self.picture(777, 405).png())
    guard
      let vips = try SecondOpinions.run(
        "vips", ["dzsave", folder("in.png"), folder("vips"), "--suffix", ".png"])
    else { return }
    #expect(vips.status == 0, "\(vips)")
    let made = try folder.run("img.open('in.png'):tiles('ours', { format = 'png' })")
    made.expect(status: 0)
    let theirs = folder.files.filter { $0.hasPrefix("vips_files/") && $0.hasSuffix(".png") }
    let ours = folder.files.filter { $0.hasPrefix("ours_files/") }
    #expect(theirs.map { $0.replacingOccurrences(of: "vips_files", with: "ours_files") } == ours && ours.count == 19)
    for (one, other) in zip(theirs, ours) {
      let (one, other) = (try Pixels(file: folder(one)), try Pixels(file: folder(other)))
      #expect(one.layout == other.layout)
      // Levels of libvips are rounded one after another.
      #expect(zip(one.bytes, other.bytes).allSatisfy { abs(Int($0) - Int($1)) <= 4 })
    }
  }

  @Test(arguments: sampled(["jpg", "webp"])) func bytesDoNotDependOnWorkers(_ format: String) throws {
    var found: [[String: [UInt8]]] = []
    for jobs in ["1", "2", "5"] {
      let folder = try Folder()
      let made = try folder.run(
        """
        img.open(arg[1] .. "/rocket.jpg"):tiles("deep", { format = "\(format)", quality = 60 })
        img.open(arg[1] .. "/rocket.jpg"):tiles("iiif", { layout = "iiif", format = "\(format)" })
        """, "--jobs", jobs, arguments: [Built.photos])
      made.expect(status: 0)
      var files: [String: [UInt8]] = [:]
      for name in folder.files { files[name] = folder.bytes(name) }
      #expect(files.keys.contains("deep_files/0/0_0.\(format)"))
      found.append(files)
    }
    #expect(found[0] == found[1] && found[0] == found[2])
  }

  @Test func coloursBecomeSRGB() throws {
    let folder = try Folder()
    try folder.write("in.png", try Pixels(6, 1) { _, _ in [200, 120, 40] }.png())
    let made = try folder.run(
      """
      img.open("in.png"):to_profile("display-p3"):tiles("a", { format = "png" })
      img.canvas(4, 4, { background = "#ff000000" }):tiles("b", { background = "lime" })
      """)
    made.expect(status: 0)
    let colour = try Pixels(file: folder("a_files/3/0_0.png"))[0, 0].map(Int.init)
    #expect(zip(colour, [200, 120, 40]).allSatisfy { abs($0 - $1) <= 2 }, "\(colour)")
    let green = try Pixels(file: folder("b_files/0/0_0.jpg"))[0, 0]
    #expect(green[0] < 5 && green[1] > 250, "\(green)")
  }

  @Test func earlierTilesAreReplacedAndOtherFilesAreNot() throws {
    let folder = try Folder()
    let script = """
      img.canvas(tonumber(arg[1]), 40):tiles("a", { size = 16, overlap = 0 })
      img.canvas(tonumber(arg[1]), 40):tiles("b", { layout = "iiif", size = 16 })
      """
    for width in [90, 40] {
      let made = try folder.run(script, arguments: ["\(width)"])
      made.expect(status: 0)
    }
    #expect(folder.exists("a_files/6/2_0.jpg") && !folder.exists("a_files/7"))
    #expect(!folder.exists("b/80,0,10,16") && folder.temporaries.isEmpty)
    let before = folder.files
    for (name, place) in [("a_files/6/notes.txt", "6/notes.txt"), ("b/notes.txt", "notes.txt")] {
      try folder.write(name, "mine")
      let refused = try folder.run(script, "--on-error", "continue", arguments: ["70"])
      #expect(refused.status == 1 && refused.messages.contains { $0.contains("holds '\(place)', which is no tile") })
      try FileManager.default.removeItem(atPath: folder(name))
      #expect(folder.temporaries.isEmpty)
    }
    #expect(folder.files.count > before.count, "the other one was written")
    let own = try folder.run("img.open('a_files/6/0_0.jpg'):tiles('a')")
    #expect(own.status == 1 && own.messages.contains { $0.contains("overwrite") }, "\(own)")
    #expect(folder.exists("a_files/6/0_0.jpg") && folder.temporaries.isEmpty)
  }

  @Test func nothingIsLeftOfTilesThatFail() throws {
    let folder = try Folder()
    let whole = try Self.picture(400, 400).png()
    try folder.write("in.png", Array(whole.prefix(whole.count / 2)))
    let failed = try folder.run(
      "img.open('in.png'):tiles('a', { size = 32 }) img.open('in.png'):tiles('b', { layout = 'iiif' })",
      "--on-error", "continue")
    #expect(failed.status == 1 && failed.messages.contains { $0.contains("truncated") }, "\(failed)")
    #expect(folder.files == ["in.png", "t.lua"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["in.png", "t.lua"])
    // Folders that were made for them go, too; those that were there stay, and those with something in them.
    try folder.makeFolder("empty")
    let deep = try folder.run(
      """
      local p, good = img.open('in.png'), img.canvas(9, 9)
      p:tiles('new/deep/a') p:tiles('new/other/b') p:save('third/x.png') p:tiles('empty/a') p:tiles('full/bad/a')
      good:save('full/good.png')
      """, "--on-error", "continue")
    deep.expect(status: 1)
    let folders = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(folders == ["empty", "full", "in.png", "t.lua"], "\(deep)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder("full")) == ["good.png"])
    try FileManager.default.removeItem(atPath: folder("full"))
    try FileManager.default.removeItem(atPath: folder("empty"))
    let cancelled = try folder.run(
      "local job = img.canvas(30000, 30000):tiles('a') job:cancel() assert(job:await().cancelled)")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(left == ["in.png", "t.lua"], "\(cancelled)")
  }

  @Test func mistakes() throws {
    let folder = try Folder()
    let table = [
      ("tiles('a', { layout = 'iiif', overlap = 1 })", "tiles: 'overlap' belongs to layout 'deepzoom'; leave it out"),
      ("tiles('a', { id = 'x' })", "tiles: 'id' belongs to layout 'iiif'; leave it out"),
      ("tiles('a', { size = 32, overlap = 32 })", "tiles: 'overlap' must be less than 'size', which is 32"),
      ("tiles('a', { format = 'tga' })", "tiles: cannot tell the format"),
      ("tiles('a', { metadata = 'all' })", "tiles: unknown option 'metadata'"),
      ("tiles('a', { max_bytes = '1k' })", "tiles: unknown option 'max_bytes'"),
      ("tiles('{nothing}')", "tiles: '{nothing}'"), ("tiles()", "tiles takes a path first"),
    ]
    for (call, message) in table {
      let outcome = try folder.run("img.canvas(90, 90):" + call)
      #expect(outcome.status == 3 && outcome.messages.contains { $0.contains(message) }, "\(call): \(outcome)")
    }
    let twice = try folder.run("img.canvas(9, 9):tiles('a') img.canvas(9, 9):tiles('a.dzi')")
    #expect(twice.status == 3 && twice.messages.contains { $0.contains("two outputs have this name") }, "\(twice)")
    #expect(folder.files == ["t.lua"])
  }

  @Test func planNamesTilesAndMemory() throws {
    let folder = try Folder()
    let plan = try folder.run("img.canvas(60000, 40000):tiles('a', { size = 256, overlap = 0 })", "--dry-run")
    let line = try #require(plan.outputLines.first { $0.hasPrefix("a.dzi (") }, "\(plan)")
    #expect(line.hasPrefix("a.dzi (49392 tiles) <- canvas 60000x40000; about "))
    let megabytes = try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) })
    #expect(megabytes < 200 && megabytes > 60, "\(line)")
  }
}
