import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// Colour profiles through the built program and its plugin.
@Suite struct ColourTests {
  private func converted(_ script: String, in folder: Folder) throws -> Outcome {
    try folder.run("local p = img.open(\"in.png\") " + script)
  }

  private func folder() throws -> Folder {
    let folder = try Folder()
    let colours: [[UInt8]] = [
      [255, 0, 0], [0, 255, 0], [200, 120, 40], [30, 60, 90], [128, 128, 128], [255, 255, 255],
    ]
    try folder.write("in.png", try Pixels(6, 1) { x, _ in colours[x] }.png())
    return folder
  }

  /// The values were computed in double precision from the primaries and curves.
  @Test func standardProfiles() throws {
    let folder = try folder()
    let outcome = try converted(
      """
      for _, name in ipairs{ "display-p3", "adobe-rgb", "rec2020" } do p:to_profile(name):save(name .. ".png") end
      """, in: folder)
    outcome.expect(status: 0)
    let expected: [(String, [[Int]])] = [
      (
        "display-p3",
        [[234, 51, 35], [117, 251, 76], [189, 124, 58], [37, 59, 88], [128, 128, 128], [255, 255, 255]]
      ),
      (
        "adobe-rgb",
        [[219, 0, 0], [144, 255, 60], [180, 119, 50], [45, 62, 89], [127, 127, 127], [255, 255, 255]]
      ),
      (
        "rec2020",
        [[202, 59, 19], [145, 245, 69], [165, 114, 44], [30, 43, 72], [115, 115, 115], [255, 255, 255]]
      ),
    ]
    for (name, colours) in expected {
      let row = try Pixels(file: folder("\(name).png")).bytes.map(Int.init)
      for (x, colour) in colours.enumerated() {
        for band in 0..<3 { #expect(abs(row[3 * x + band] - colour[band]) <= 1, "\(name) \(x): \(row)") }
      }
    }
  }

  /// There and back: levels of a wider space are coarser in sRGB, most of all at 0.
  @Test func thereAndBack() throws {
    let folder = try folder()
    let outcome = try converted(
      "p:to_profile(\"display-p3\"):to_profile(\"srgb\"):save(\"back.png\") p:to_profile(\"srgb\"):save(\"same.png\")",
      in: folder)
    outcome.expect(status: 0)
    let original = try Pixels(file: folder("in.png")).bytes.map(Int.init)
    let back = try Pixels(file: folder("back.png")).bytes.map(Int.init)
    #expect(zip(original, back).allSatisfy { abs($0 - $1) <= 3 }, "\(back)")
    #expect(try Pixels(file: folder("same.png")).bytes.map(Int.init) == original)
  }

  /// What is written has the wanted profile, or is sRGB without one.
  @Test func savedProfiles() throws {
    let folder = try folder()
    let outcome = try converted(
      """
      local wide = p:to_profile("display-p3")
      wide:save("keep.jpg", { quality = 100 })
      wide:save("srgb.jpg", { profile = "srgb", quality = 100 })
      wide:save("none.png", { metadata = "none" })
      wide:save("wide.bmp")
      p:save("untagged.png", { metadata = "none", compression = 1 })
      """, in: folder)
    outcome.expect(status: 0)
    func names(_ file: String, _ profile: String) -> Bool {
      Data(folder.bytes(file)).range(of: Data(profile.utf16BE)) != nil
    }
    #expect(names("keep.jpg", "Display P3") && names("wide.bmp", "Display P3") && names("srgb.jpg", "sRGB"))
    #expect(!names("srgb.jpg", "Display P3") && !names("none.png", "sRGB"))
    let original = try Pixels(file: folder("in.png")).bytes.map(Int.init)
    for file in ["none.png", "untagged.png"] {
      let bytes = try Pixels(file: folder(file)).bytes.map(Int.init)
      #expect(zip(original, bytes).allSatisfy { abs($0 - $1) <= 3 }, "\(file): \(bytes)")
    }
  }

  /// A picture that is laid over another gets the other's colours, whichever of them has a profile.
  @Test func mixedPictures() throws {
    let folder = try folder()
    let outcome = try converted(
      """
      local wide = p:to_profile("display-p3")
      img.canvas(6, 1):composite(wide):save("on-srgb.png")
      img.canvas(6, 1):to_profile("gray"):composite(wide):save("on-gray.png")
      wide:composite(p):save("on-wide.png")
      wide:save("wide.png")
      """, in: folder)
    outcome.expect(status: 0)
    func bytes(_ file: String) throws -> [Int] { try Pixels(file: folder(file)).bytes.map(Int.init) }
    for file in ["on-srgb.png", "on-gray.png"] {
      #expect(zip(try bytes("in.png"), try bytes(file)).allSatisfy { abs($0 - $1) <= 3 }, "\(file)")
    }
    #expect(zip(try bytes("wide.png"), try bytes("on-wide.png")).allSatisfy { abs($0 - $1) <= 1 })
  }

  private static let printer = "/usr/share/color/icc/ghostscript/default_cmyk.icc"

  /// Pages and frames of one profile keep it, also those of several files. Others become sRGB.
  @Test func pagesOfOneSpace() throws {
    let folder = try folder()
    let outcome = try converted(
      """
      local wide = p:to_profile("display-p3")
      wide:save("wide.tif", { compression = "none" })
      wide:save("wide.png")
      """, in: folder)
    outcome.expect(status: 0)
    let second = try folder.run(
      """
      local a, b, plain = img.open("wide.tif"), img.open("wide.png"), img.open("in.png")
      local gray = plain:to_profile("gray")
      img.multipage("same.tif", { a, b, plain:to_profile("display-p3") }, { compression = "none" })
      img.multipage("mixed.tif", { plain, a }, { compression = "none" })
      img.multipage("gray.tif", { a, gray }, { compression = "none" })
      img.multipage("none.tif", { a, b }, { compression = "none", metadata = "none" })
      img.animation("same.webp", { a, b }, { lossless = true })
      """)
    second.expect(status: 0)
    let third = try folder.run(
      """
      for _, name in ipairs{ "same", "mixed", "gray", "none" } do
        for i, page in ipairs(img.pages(name .. ".tif")) do
          page:to_profile("srgb"):save(name .. i .. ".png")
        end
      end
      img.open("same.webp"):to_profile("srgb"):save("frame.png")
      """)
    third.expect(status: 0)
    func bytes(_ file: String) throws -> [Int] { try Pixels(file: folder(file)).bytes.map(Int.init) }
    let meant = try bytes("in.png")
    for file in ["same1", "same2", "same3", "mixed1", "mixed2", "gray1", "none1", "none2", "frame"] {
      #expect(zip(meant, try bytes(file + ".png")).allSatisfy { abs($0 - $1) <= 3 }, "\(file)")
    }
    for (file, isWide) in [("same.tif", true), ("mixed.tif", false), ("gray.tif", false), ("none.tif", false)] {
      #expect((Data(folder.bytes(file)).range(of: Data("Display P3".utf16BE)) != nil) == isWide, "\(file)")
    }
    try folder.write(
      "c.lua",
      "local img = require \"imghost\" img.multipage(\"x.tif\", { img.open(\"in.png\"), img.open(\"wide.png\") })")
    let check = try folder.imghost("check", "c.lua")
    #expect(
      check.error.contains("colours become sRGB, because the pages have different profiles: 'wide.png'"), "\(check)")
    for (profile, words) in [
      ("display-p3", "page 2 is not CMYK, and others are"),
      (Self.printer, "page 2 is CMYK of another profile than page 1; convert both to one"),
    ] {
      let refused = try folder.run(
        """
        local p = img.open("in.png")
        img.multipage("x.tif", { p:to_profile("cmyk"), p:to_profile("\(profile)") })
        """)
      refused.expect(status: 1, error: words)
    }
  }

  /// The plugin that computes conversions is no picture format.
  @Test(.wholeRuns) func conversionsAreNoPictures() throws {
    let folder = try folder()
    try folder.write("a.profilepair", "imghost colour 1\n and no profiles")
    let info = try folder.imghost(["info", "a.profilepair"])
    info.expect(status: 1, error: "a.profilepair: unrecognized file format")
    let plugins = try folder.imghost(["plugins"])
    #expect(plugins.output.contains("\ncolour: ") && !plugins.output.contains("profilepair"), "\(plugins)")
  }

  /// Backgrounds that operations add are sRGB, too.
  @Test func backgrounds() throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local wide = img.canvas(40, 40, { background = "white" }):to_profile("display-p3")
      local red = { background = "#e02040" }
      local made = {
        extend = wide:extend{ left = 9, background = "#e02040" }, rotate = wide:rotate(45, red),
        affine = wide:affine({ 1, 1, 0, 1 }, red), flatten = wide:ensure_alpha():flatten("#e02040"),
        perspective = wide:perspective({ -9, -9, 40, 0, 40, 40, 0, 40 }, { width = 40, height = 40, background = "#e02040" }),
        contain = wide:resize{ 60, 30, fit = "contain", background = "#e02040" },
        gray = img.canvas(40, 40):to_profile("gray"):extend{ left = 9, background = "#e02040" },
      }
      for name, picture in pairs(made) do picture:to_profile("srgb"):save(name .. ".png") end
      """)
    outcome.expect(status: 0)
    for name in ["extend", "rotate", "affine", "perspective", "contain", "gray"] {
      let pixels = try Pixels(file: folder(name + ".png"))
      // The affine mapping leaves the lower left corner free.
      let start = name == "affine" ? pixels.bytes.count - pixels.width * pixels.bands : 0
      let corner = pixels.bytes[start..<start + 3].map(Int.init)
      #expect(zip(corner, [0xe0, 0x20, 0x40]).allSatisfy { abs($0 - $1) <= 1 }, "\(name): \(corner)")
    }
  }

  /// Colours that show through removed alpha are sRGB: in files and in tiles. Grays
  /// have other numbers where the curve differs, and a border of the script's colour is found.
  @Test(arguments: [8, 16], ["display-p3", "rec2020"])
  func coloursMeetProfiles(_ bits: Int, _ profile: String) throws {
    let folder = try folder()
    let format = PixelFormat(bits == 8 ? .u8 : .u16, .rgb, alpha: true)
    try folder.write("clear.png", try Pixels(40, 40, format) { _, _ in Array(repeating: 0, count: bits / 2) }.png())
    let outcome = try folder.run(
      """
      local clear = img.open("clear.png"):to_profile("\(profile)")
      local white = clear:remove_alpha():invert()
      clear:save("save.jpg", { background = "#e02040", quality = 100, subsampling = "4:4:4" })
      clear:save("gray.jpg", { background = "#808080", quality = 100 })
      clear:tiles("tiles", { background = "#e02040", format = "jpeg" })
      white:extend{ left = 9, background = "#808080" }:to_profile("srgb"):save("extend-gray.png")
      white:resize{ 80, 40, fit = "contain", background = "#808080" }:to_profile("srgb"):save("contain-gray.png")
      white:draw{ box = { 0, 0, 20, 20 }, fill = "#808080" }:to_profile("srgb"):save("draw-gray.png")
      white:text{ "■", size = 60, colour = "#808080", left = -20, top = -30 }:to_profile("srgb"):save("text-gray.png")
      local gray = img.canvas(40, 40, { background = "#808080" })
      gray:tint("#e02040"):save("tint-plain.png")
      gray:to_profile("\(profile)"):tint("#e02040"):to_profile("srgb"):save("tint-wide.png")
      local bordered = white:extend{ left = 9, top = 9, right = 9, bottom = 9, background = "#e02040" }
      local trimmed = bordered:trim{ background = "#e02040", threshold = 1 }
      assert(trimmed.width == 40 and trimmed.height == 40, trimmed.width)
      """)
    outcome.expect(status: 0)
    let seen = try folder.run(
      """
      for _, name in ipairs{ "save.jpg", "gray.jpg" } do
        img.open(name):to_profile("srgb"):save(name .. ".png")
      end
      """)
    seen.expect(status: 0)
    func first(_ name: String) throws -> [Int] {
      let pixels = try Pixels(file: folder(name))
      let step = pixels.layout.format.sample.byteCount
      // The high byte of each sample.
      return (0..<3).map { Int(pixels.bytes[$0 * step + step - 1]) }
    }
    let red = ["save.jpg.png", "tiles_files/0/0_0.jpg"]
    let gray = ["gray.jpg.png", "extend-gray.png", "contain-gray.png", "draw-gray.png", "text-gray.png"]
    for (names, meant) in [(red, [0xe0, 0x20, 0x40]), (gray, [0x80, 0x80, 0x80])] {
      for name in names {
        let seen = try first(name)
        #expect(zip(seen, meant).allSatisfy { abs($0 - $1) <= 2 }, "\(name): \(seen)")
      }
    }
    // Luminance is taken from the picture's own numbers.
    guard profile == "display-p3" else { return }
    let (plain, wide) = (try first("tint-plain.png"), try first("tint-wide.png"))
    #expect(zip(plain, wide).allSatisfy { abs($0 - $1) <= 2 }, "\(plain) \(wide)")
  }

  /// Colours that are found in a picture are sRGB, and so is its placeholder. Statistics are of the samples themselves.
  @Test func measuredColours() throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local red = img.canvas(64, 64, { background = "#e02040" })
      local wide = red:to_profile("display-p3")
      local found = tonumber(wide:dominant_colours(1)[1].colour:sub(2), 16)
      for shift, meant in pairs{ [16] = 0xe0, [8] = 0x20, [0] = 0x40 } do
        assert(math.abs((found >> shift & 255) - meant) <= 1)
      end
      assert(wide:stats().mean[1] < 0xd0)
      """)
    outcome.expect(status: 0)
  }

  /// The same red on an sRGB picture and on one with Display P3, seen in sRGB again.
  @Test func drawnColours() throws {
    let folder = try folder()
    let outcome = try folder.run(
      """
      local white = img.canvas(40, 30, { background = "white" })
      local wide = white:to_profile("display-p3")
      local function marked(p)
        return p:draw{ box = { 2, 2, 10, 10 }, fill = "#e02040" }
          :text{ "■", size = 20, colour = "#2040e0", left = 16, top = 0 }
      end
      marked(white):save("plain.png")
      marked(wide):save("wide.png")
      marked(wide):to_profile("srgb"):save("back.png")
      """)
    outcome.expect(status: 0)
    func bytes(_ file: String) throws -> [Int] { try Pixels(file: folder(file)).bytes.map(Int.init) }
    let plain = try bytes("plain.png")
    #expect(Array(plain[(5 * 40 + 5) * 3..<(5 * 40 + 5) * 3 + 3]) == [0xe0, 0x20, 0x40])
    #expect(zip(plain, try bytes("back.png")).allSatisfy { abs($0 - $1) <= 3 })
    #expect(plain != (try bytes("wide.png")))
  }

  /// A plugin gets sRGB, and what it makes stays sRGB; one that takes any RGB gets the picture's own numbers.
  @Test func pluginsGetSRGB() throws {
    let folder = try folder()
    try folder.write("plugins/empty", "")
    try Fixture.compile("version1/mirror", [], to: folder("plugins/libmirrorPlugin.so"))
    try folder.write("t.lua", Self.pluginScript)
    let outcome = try folder.imghost(["run", "t.lua"], environment: ["IMGHOST_PLUGIN_PATH": folder("plugins")])
    outcome.expect(status: 0)
    func differs(_ one: String, _ other: String) throws -> Int {
      let (one, other) = (try Pixels(file: folder(one)).bytes, try Pixels(file: folder(other)).bytes)
      return zip(one, other).map { abs(Int($0) - Int($1)) }.max() ?? 255
    }
    // There and back.
    #expect(try differs("native.png", "in.png") <= 3 && differs("lua.png", "in.png") <= 3)
    #expect(try differs("native.png", "wide.png") > 3)
    #expect(try differs("any-native.png", "wide.png") == 0 && differs("any-lua.png", "wide.png") == 0)
    #expect(try differs("plain.png", "in.png") == 0)
    // The second picture gets the colours of the first.
    #expect(try differs("mixed.png", "wide.png") <= 1 && differs("mixed-plain.png", "in.png") <= 3)
    func profile(_ file: String) -> String {
      let bytes = Data(folder.bytes(file))
      return ["Display P3", "sRGB"].first { bytes.range(of: Data($0.utf16BE)) != nil } ?? ""
    }
    for (file, name) in [
      ("native.tif", "sRGB"), ("lua.tif", "sRGB"), ("any-native.tif", "Display P3"), ("any-lua.tif", "Display P3"),
      ("plain.tif", ""), ("mixed.tif", "Display P3"), ("gray.tif", ""),
    ] { #expect(profile(file) == name, "\(file)") }
  }

  private static let pluginScript = """
    local img = require "imghost"
    local p = img.open("in.png")
    local wide = p:to_profile("display-p3")
    img.plugin{ name = "same", apply = function(picture) return picture end }
    img.plugin{ name = "same_any", any_rgb = true, apply = function(picture) return picture end }
    local mask = img.canvas(6, 1, { background = "black" })
    local made = {
      native = wide:plugin("mirror"):flop(), lua = wide:plugin("same"), plain = p:plugin("mirror"):flop(),
      ["any-native"] = wide:plugin("vignette", { strength = 0 }), ["any-lua"] = wide:plugin("same_any"),
      mixed = wide:plugin("mask_blend", p, mask), ["mixed-plain"] = p:plugin("mask_blend", wide, mask),
      gray = p:grayscale():plugin("mirror"), wide = wide,
    }
    for name, picture in pairs(made) do
      picture:save(name .. ".png")
      picture:save(name .. ".tif", { compression = "none" })
    end
    """

  /// A check names the pictures whose profiles will be dropped; a run does not, and sRGB has nothing to lose.
  @Test func checksNoteDroppedProfiles() throws {
    let folder = try folder()
    let made = try converted(
      "for _, name in ipairs{ \"display-p3\", \"srgb\" } do p:to_profile(name):save(name .. \".png\") end", in: folder)
    made.expect(status: 0)
    try folder.write(
      "t.lua",
      """
      local img = require "imghost"
      local all = img.list{ img.open("display-p3.png"), img.open("srgb.png"), img.open("in.png") }
      all:save("{stem}.ppm")
      all:save("{stem}-none.png", { metadata = "none" })
      all:tiles("{stem}")
      all:save("{stem}-kept.png") all:save("{stem}-srgb.jpg", { profile = "srgb", metadata = "none" })
      """)
    let notes = ["3: save", "4: save", "5: tiles"].map { "t.lua:\($0): note: colours become sRGB, because " }
    let reasons = ["PNM files hold no profile", "metadata = 'none' leaves no profile", "tiles hold no profile"]
    let expected = zip(notes, reasons).map { $0 + $1 + ": 'display-p3.png'" }
    let check = try folder.imghost("check", "t.lua")
    #expect(check.status == 0 && check.messages == expected, "\(check)")
    let run = try folder.imghost("run", "t.lua")
    #expect(run.status == 0 && run.messages.isEmpty, "\(run)")
  }

  @Test func wrongProfiles() throws {
    let folder = try folder()
    try folder.write("not.icc", "this is no profile, however long it may be: 0123456789")
    for (script, words) in [
      (
        "p:to_profile(\"srg\"):save(\"a.png\")",
        "there is no profile 'srg' (did you mean 'srgb'?); it is one of srgb"
      ),
      ("p:to_profile(\"not.icc\"):save(\"a.png\")", "'not.icc' is no ICC profile for gray, RGB or CMYK"),
      ("p:save(\"a.png\", { profile = \"nope.icc\" })", "save: 'profile': there is no profile 'nope.icc'"),
      ("p:to_profile():save(\"a.png\")", "profile"),
      (
        "p:save(\"a.ppm\", { profile = \"display-p3\" })",
        "save: 'profile' can only be 'srgb' here, because PNM files hold no profile"
      ),
      (
        "p:save(\"a.png\", { profile = \"rec2020\", metadata = \"none\" })",
        "save: 'profile' can only be 'srgb' here, because metadata = 'none' leaves no profile"
      ),
    ] {
      let outcome = try converted(script, in: folder)
      outcome.expect(status: 3, error: words)
    }
    #expect(!folder.exists("a.png"))
  }

  /// A profile that Little CMS refuses is ignored, with a note: the picture then counts as sRGB.
  @Test func aDamagedProfile() throws {
    let folder = try folder()
    let first = try converted("p:to_profile(\"display-p3\"):save(\"wide.png\", { compression = 0 })", in: folder)
    first.expect(status: 0)
    // A TIFF holds its profile as it is: the first tag's offset now points beyond the end.
    let made = try folder.run("img.open(\"wide.png\"):save(\"wide.tif\")")
    made.expect(status: 0)
    var bytes = folder.bytes("wide.tif")
    let mark = Array("mntrRGB XYZ ".utf8)
    let start = try #require((0..<bytes.count - mark.count).first { Array(bytes[$0..<$0 + mark.count]) == mark }) - 12
    for index in start + 128..<start + 132 { bytes[index] = 0xff }
    try folder.write("damaged.tif", bytes)
    let outcome = try folder.run("img.open(\"damaged.tif\"):to_profile(\"srgb\"):save(\"out.png\")")
    #expect(
      outcome.status == 0
        && outcome.messages == ["to_profile: note: the colour profile is damaged and ignored: damaged.tif"],
      "\(outcome)")
    #expect(try Pixels(file: folder("out.png")).bytes == Pixels(file: folder("wide.png")).bytes)
    // Colours of the script keep their numbers beside it.
    let mixed = try folder.run(
      """
      local p = img.open("damaged.tif")
      p:ensure_alpha():save("flat.jpg", { background = "#e02040" })
      p:extend{ left = 1, background = "#e02040" }:save("extended.png")
      p:text{ "■", colour = "#e02040" }:composite(img.canvas(2, 2, { background = "#e02040" })):save("mixed.png")
      """)
    #expect(mixed.status == 0 && mixed.messages.allSatisfy { $0.contains("damaged and ignored") }, "\(mixed)")
    #expect(Array(try Pixels(file: folder("extended.png")).bytes[0..<3]) == [0xe0, 0x20, 0x40])
  }
}

extension String {
  /// UTF-16, the high byte first, as profiles store names.
  fileprivate var utf16BE: [UInt8] { utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
}
