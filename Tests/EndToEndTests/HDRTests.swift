import Foundation
import PictureTestSupport
import TestSupport
import Testing

/// Pictures with PQ and HLG, and with colour spaces in code points, through the built program.
@Suite struct HDRTests {
  private static let fixtures = Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/"
  private static let side = 64

  /// The samples of the fixtures, from 0 to 1, computed by the formula of `make-hdr.py`.
  private static let samples: [Double] = (0..<side * side * 3).map { index in
    let (x, y, band) = (index / 3 % side, index / 3 / side, index % 3)
    let level: Int = 37 * x + 211 * y + 331 * band + 5 * x * y
    return Double(level % 1024) / 1023
  }

  private func saved(_ names: [String], jobs: String = "2", environment: [String: String?] = [:]) throws -> Folder {
    let folder = try Folder()
    for name in names { try folder.copy(Self.fixtures + name, to: Self.flat(name)) }
    let outcome = try folder.run(
      "for _, path in ipairs(arg) do img.open(path):save(path .. \".png\") end", "--jobs", jobs,
      arguments: names.map(Self.flat), environment: environment)
    outcome.expect(status: 0)
    return folder
  }

  private static func flat(_ name: String) -> String { name.replacingOccurrences(of: "/", with: "-") }

  private func words(_ folder: Folder, _ name: String) throws -> [Double] {
    let bytes = try Pixels(file: folder(Self.flat(name) + ".png")).bytes
    return bytes.withUnsafeBytes { $0.bindMemory(to: UInt16.self).map(Double.init) }
  }

  // MARK: The reference

  private static func pq(_ value: Double) -> Double {
    let root = pow(value, 1 / 78.84375)
    return 10_000 * pow(max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125)
  }

  private static func pqInverse(_ light: Double) -> Double {
    let root = pow(light / 10_000, 0.1593017578125)
    return pow((0.8359375 + 18.8515625 * root) / (1 + 18.6875 * root), 78.84375)
  }

  private static func hlg(_ value: Double) -> Double {
    value <= 0.5 ? value * value / 3 : (exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
  }

  /// Maps light in cd/m² to a fraction of 203 cd/m², as in BT.2390.
  private static func bent(_ light: Double, _ peak: Double) -> Double {
    let (value, most) = (pqInverse(min(light, peak)) / pqInverse(peak), pqInverse(203) / pqInverse(peak))
    let knee = 1.5 * most - 0.5
    guard value > knee else { return min(light, peak) / 203 }
    let t = (value - knee) / (1 - knee)
    let (t2, t3) = (t * t, t * t * t)
    let start: Double = (2 * t3 - 3 * t2 + 1) * knee
    let slope: Double = (t3 - 2 * t2 + t) * (1 - knee)
    let bent = start + slope + (3 * t2 - 2 * t3) * most
    return pq(bent * pqInverse(peak)) / 203
  }

  private static let toDisplayP3 = [
    [1.34357825, -0.28217967, -0.06139858], [-0.06529745, 1.07578792, -0.01049046],
    [0.00282179, -0.01959849, 1.01677671],
  ]

  /// Returns the mapped samples of one pixel, from 0 to 65,535.
  private static func mapped(_ pixel: [Double], isHLG: Bool, peak: Double = 1000) -> [Double] {
    let source = pixel.map(isHLG ? hlg : pq)
    var light = toDisplayP3.map { row in max(0, zip(row, source).reduce(0.0) { $0 + $1.0 * $1.1 }) }
    if isHLG {
      let scene = 0.2627 * source[0] + 0.678 * source[1] + 0.0593 * source[2]
      light = light.map { scene > 0 ? $0 * 1000 * pow(scene, 0.2) : 0 }
    }
    let largest = light.max()!
    return light.map { light in
      let value = largest > 0 ? min(light / largest * bent(largest, peak), 1) : 0
      return (value <= 0.0031308 ? value * 12.92 : 1.055 * pow(value, 1 / 2.4) - 0.055) * 65_535
    }
  }

  // MARK: Tests

  @Test func mappedSamples() throws {
    let names = ["avif/pq.avif", "avif/hlg.avif", "heif/pq.heic", "heif/hlg.heic", "jpegxl/pq.jxl", "jpegxl/hlg.jxl"]
    let folder = try saved(names + ["heif/rec2020.heic"])
    // The samples of the HEIC files went through YCbCr. One of them is no HDR and tells their values.
    let heic = try words(folder, "heif/rec2020.heic").map { $0 / 65_535 }
    for (given, meant) in zip(heic, Self.samples) { #expect(abs(given - meant) < 0.002) }
    for name in names {
      let source = name.hasPrefix("heif") ? heic : Self.samples
      try expect(words(folder, name), mapOf: source, name, isHLG: name.contains("hlg"))
    }
  }

  private func expect(
    _ found: [Double], mapOf source: [Double], _ name: String, isHLG: Bool = false, peak: Double = 1000
  ) {
    var worst = 0.0
    for pixel in stride(from: 0, to: source.count, by: 3) {
      let expected = Self.mapped(Array(source[pixel..<pixel + 3]), isHLG: isHLG, peak: peak)
      for band in 0..<3 { worst = max(worst, abs(found[pixel + band] - expected[band])) }
    }
    // A sixteenth of a level of 8 bits.
    #expect(worst < 16, "\(name): \(worst)")
  }

  /// The brightest light that a file states becomes white.
  @Test func peaks() throws {
    let cases = [("heif/pq-content.heic", 4000.0), ("heif/pq-screen.heic", 600), ("jpegxl/pq-peak.jxl", 2000)]
    let folder = try saved(cases.map(\.0) + ["heif/rec2020.heic"])
    let heic = try words(folder, "heif/rec2020.heic").map { $0 / 65_535 }
    for (name, peak) in cases {
      try expect(words(folder, name), mapOf: name.hasPrefix("heif") ? heic : Self.samples, name, peak: peak)
      let info = try folder.imghost(["info", Self.fixtures + name])
      #expect(info.output.contains("PQ (SMPTE ST 2084), up to \(Int(peak)) cd/m²"), "\(info)")
    }
  }

  // MARK: PNG

  /// A PNG of the samples with chunks before the pixels.
  private static func png(_ chunks: [(String, [UInt8])], isInterlaced: Bool = false) -> [UInt8] {
    let words = samples.map { UInt16(($0 * 65_535).rounded()) }
    var rows: [UInt8] = []
    func add(_ x: Int, _ y: Int) {
      for band in 0..<3 {
        let word = words[(y * side + x) * 3 + band]
        rows += [UInt8(word >> 8), UInt8(word & 255)]
      }
    }
    // PNG, 8.2: the first pixel and the steps of each pass.
    let adam7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    for (left, top, across, down) in isInterlaced ? adam7 : [(0, 0, 1, 1)] {
      for y in stride(from: top, to: side, by: down) {
        rows.append(0)
        for x in stride(from: left, to: side, by: across) { add(x, y) }
      }
    }
    let big = MetadataBlocks.big
    let head = big(side) + big(side) + [16, 2, 0, 0, isInterlaced ? 1 : 0]
    let all = [("IHDR", head)] + chunks + [("IDAT", MetadataBlocks.stored(rows)), ("IEND", [])]
    return [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + all.flatMap { MetadataBlocks.chunk($0.0, $0.1) }
  }

  private static func screen(_ peak: Int) -> (String, [UInt8]) {
    ("mDCV", [UInt8](repeating: 0, count: 16) + MetadataBlocks.big(peak * 10_000) + MetadataBlocks.big(0))
  }

  @Test func pngs() throws {
    let pq: (String, [UInt8]) = ("cICP", [9, 16, 0, 1])
    let content = ("cLLI", MetadataBlocks.big(4000 * 10_000) + MetadataBlocks.big(0))
    let profile = ("iCCP", Array("p\0\0".utf8) + MetadataBlocks.stored(ProfileBlock().bytes))
    let cases: [(name: String, file: [UInt8], isHLG: Bool, peak: Double)] = [
      ("pq", Self.png([pq]), false, 1000), ("interlaced", Self.png([pq], isInterlaced: true), false, 1000),
      ("hlg", Self.png([("cICP", [9, 18, 0, 1])]), true, 1000),
      ("profile", Self.png([profile, pq]), false, 1000),
      ("content", Self.png([pq, Self.screen(600), content]), false, 4000),
      ("screen", Self.png([Self.screen(600), pq]), false, 600),
      ("default", Self.png([pq, Self.screen(10_000)]), false, 1000),
    ]
    let folder = try Folder()
    for one in cases { try folder.write(one.name + ".png", one.file) }
    for (isolation, target) in [("codecs", "a"), ("all", "b")] {
      let outcome = try folder.run(
        "for _, p in pairs(img.glob('*.png')) do p:crop(0, 0, p.width, p.height - 1):save('\(target)/{stem}.png') end",
        "--isolate", isolation)
      outcome.expect(status: 0)
      for one in cases {
        let bytes = try Pixels(file: folder(target + "/" + one.name + ".png")).bytes
        let found = bytes.withUnsafeBytes { $0.bindMemory(to: UInt16.self).map(Double.init) }
        let part = Array(Self.samples.prefix(found.count))
        #expect(found.count == Self.side * (Self.side - 1) * 3)
        expect(found, mapOf: part, one.name, isHLG: one.isHLG, peak: one.peak)
      }
    }
    let info = try folder.imghost(["info", folder("content.png")])
    #expect(info.output.contains("PQ (SMPTE ST 2084), up to 4000 cd/m²"), "\(info)")
    #expect(info.output.contains("primaries 9, transfer 16"), "\(info)")
  }

  /// Pages of a book hold the mapped pixels. Copies keep their bytes.
  @Test func pngsInBooks() throws {
    let folder = try Folder()
    try folder.write("pq.png", Self.png([("cICP", [9, 16, 0, 1])]))
    let outcome = try folder.run(
      "img.open('pq.png'):save('b.png') img.book('b.pdf', { img.open('pq.png') }, { verify = true, lossless = true })")
    outcome.expect(status: 0)
    #expect(folder.bytes("b.png") == folder.bytes("pq.png"))
  }

  /// Code points without HDR give a profile, and samples stay as they are. Narrow range is not read.
  @Test func pngProfiles() throws {
    let folder = try Folder()
    for (name, code, profile) in [
      ("p3", [12, 13, 0, 1], "Display P3"), ("rec2020", [9, 14, 0, 1], "Rec. 2020"), ("srgb", [1, 13, 0, 1], nil),
      ("narrow", [9, 16, 0, 0], nil),
    ] as [(String, [UInt8], String?)] {
      try folder.write("a.png", Self.png([("cICP", code)]))
      let outcome = try folder.run("local p = img.open('a.png'):crop(0, 0, 64, 64) p:save('b.png') p:save('b.jpg')")
      outcome.expect(status: 0)
      let bytes = try Pixels(file: folder("b.png")).bytes
      let found = bytes.withUnsafeBytes { $0.bindMemory(to: UInt16.self).map(Double.init) }
      #expect(zip(found, Self.samples).allSatisfy { abs($0 - $1 * 65_535) < 0.51 }, "\(name)")
      let title = profile.map { Data($0.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }) }
      let jpeg = Data(folder.bytes("b.jpg"))
      if let title {
        #expect(jpeg.range(of: title) != nil, "\(name)")
      } else {
        #expect(jpeg.range(of: Data("ICC_PROFILE".utf8)) == nil, "\(name)")
      }
    }
  }

  /// Colour spaces that are no HDR leave samples alone. Both kinds get a profile.
  @Test func profiles() throws {
    let expected = [
      ("avif/pq.avif", "Display P3"), ("avif/hlg.avif", "Display P3"), ("avif/display-p3.avif", "Display P3"),
      ("avif/rec709.avif", "Rec. 709 with the curve of Rec. 709"), ("heif/pq.heic", "Display P3"),
      ("heif/rec2020.heic", "Rec. 2020"), ("jpegxl/hlg.jxl", "Display P3"),
    ]
    let folder = try Folder()
    for (name, _) in expected { try folder.copy(Self.fixtures + name, to: Self.flat(name)) }
    // The bytes of a profile are compressed in a PNG, but not in a JPEG.
    let outcome = try folder.run(
      "for _, path in ipairs(arg) do local p = img.open(path) p:save(path .. \".png\") p:save(path .. \".jpg\") end",
      arguments: expected.map { Self.flat($0.0) })
    outcome.expect(status: 0)
    for (name, profile) in expected {
      let file = folder.bytes(Self.flat(name) + ".jpg")
      let title = Array(profile.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
      #expect(Data(file).range(of: Data(title)) != nil, "\(name)")
    }
    for name in ["avif/display-p3.avif", "avif/rec709.avif"] {
      let bytes = try Pixels(file: folder(Self.flat(name) + ".png")).bytes
      #expect(zip(bytes, Self.samples).allSatisfy { abs(Double($0) - $1 * 255) < 0.51 }, "\(name)")
    }
  }

  @Test func infoNamesTheTransfer() throws {
    let folder = try Folder()
    for (name, words) in [
      ("avif/pq.avif", "PQ (SMPTE ST 2084)"), ("heif/hlg.heic", "HLG (ARIB STD-B67)"),
      ("jpegxl/pq.jxl", "PQ (SMPTE ST 2084)"),
    ] {
      let outcome = try folder.imghost(["info", Self.fixtures + name])
      #expect(outcome.output.contains(words) && outcome.output.contains("primaries 9, transfer 1"), "\(outcome)")
    }
    let outcome = try folder.imghost(["info", Self.fixtures + "avif/display-p3.avif"])
    #expect(!outcome.output.contains("  hdr "), "\(outcome)")
  }

  @Test func sameBytes() throws {
    let name = "avif/hlg.avif"
    let meant = try saved([name], jobs: "1").bytes(Self.flat(name) + ".png")
    for (jobs, processor) in [("7", nil), ("2", "baseline")] as [(String, String?)] {
      let made = try saved([name], jobs: jobs, environment: ["IMGHOST_CPU": processor])
      #expect(made.bytes(Self.flat(name) + ".png") == meant)
    }
  }

  /// A file that is only copied stays HDR.
  @Test func untouchedFilesStay() throws {
    let folder = try Folder()
    try folder.copy(Self.fixtures + "avif/pq.avif", to: "a.avif")
    let outcome = try folder.run("img.open(\"a.avif\"):save(\"b.avif\")")
    #expect(outcome.status == 0 && folder.bytes("b.avif") == folder.bytes("a.avif"), "\(outcome)")
  }
}
