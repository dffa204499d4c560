import Foundation
import ImageCore
import PictureTestSupport
import TestSupport
import Testing

/// Colours that files describe without an ICC profile, through the built program: converted, kept, and mixed.
@Suite(.wholeRuns) struct DescribedColourTests {
  /// Primaries and white as x and y, and an exponent.
  struct Description: CustomTestStringConvertible {
    let name: String
    let primaries: [Double]
    var white = [0.3127, 0.3290]
    let exponent: Double
    /// Whether the file has cHRM, and gAMA.
    var hasPlaces = true, hasExponent = true
    var testDescription: String { name }

    static let srgb = [0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
    static let adobe = [0.64, 0.33, 0.21, 0.71, 0.15, 0.06]

    static let all = [
      Description(name: "linear light", primaries: srgb, exponent: 1, hasPlaces: false),
      Description(name: "gamma 1.8", primaries: srgb, exponent: 1.8, hasPlaces: false),
      Description(name: "gamma 2.5", primaries: srgb, exponent: 2.5, hasPlaces: false),
      Description(name: "Adobe's primaries", primaries: adobe, exponent: 2.2),
      Description(
        name: "NTSC, white C", primaries: [0.67, 0.33, 0.21, 0.71, 0.14, 0.08], white: [0.310, 0.316], exponent: 2.2),
      Description(
        name: "ProPhoto, white D50", primaries: [0.7347, 0.2653, 0.1596, 0.8404, 0.0366, 0.0001],
        white: [0.3457, 0.3585], exponent: 1.8),
    ]

    /// gAMA and cHRM.
    var chunks: [UInt8] {
      func big(_ value: Double) -> [UInt8] { MetadataBlocks.big(Int((value * 100_000).rounded())) }
      let gamma = hasExponent ? MetadataBlocks.chunk("gAMA", big(1 / exponent)) : []
      return gamma + (hasPlaces ? MetadataBlocks.chunk("cHRM", (white + primaries).flatMap(big)) : [])
    }

    /// Returns the sRGB levels of a pixel, computed in double precision: to linear light, to XYZ, adapted to D65 by
    /// Bradford's matrix, and to sRGB.
    func srgb(_ pixel: [UInt8]) -> [Double] {
      let light = pixel.map { pow(Double($0) / 255, exponent) }
      let cones = Matrix([0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296])
      let (own, other) = (cones.times(Matrix.xyz(white)), cones.times(Matrix.xyz([0.3127, 0.3290])))
      let scale = Matrix([other[0] / own[0], 0, 0, 0, other[1] / own[1], 0, 0, 0, other[2] / own[2]])
      let adapted = cones.inverse.times(scale.times(cones.times(Matrix.colours(primaries, white).times(light))))
      return Matrix.colours(Self.srgb, [0.3127, 0.3290]).inverse.times(adapted).map(Self.level)
    }

    func gray(_ value: UInt8) -> Double { Self.level(pow(Double(value) / 255, exponent)) }

    private static func level(_ light: Double) -> Double {
      let light = min(max(light, 0), 1)
      return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
    }
  }

  /// A matrix of nine numbers, row by row.
  struct Matrix {
    let m: [Double]
    init(_ m: [Double]) { self.m = m }

    static func xyz(_ place: [Double]) -> [Double] { [place[0] / place[1], 1, (1 - place[0] - place[1]) / place[1]] }

    static func colours(_ primaries: [Double], _ white: [Double]) -> Matrix {
      let columns = (0..<3).map { xyz([primaries[2 * $0], primaries[2 * $0 + 1]]) }
      let plain = Matrix((0..<9).map { columns[$0 % 3][$0 / 3] })
      let scales = plain.inverse.times(xyz(white))
      return Matrix((0..<9).map { plain.m[$0] * scales[$0 % 3] })
    }

    func times(_ v: [Double]) -> [Double] {
      (0..<3).map { m[3 * $0] * v[0] + m[3 * $0 + 1] * v[1] + m[3 * $0 + 2] * v[2] }
    }

    var inverse: Matrix {
      func minor(_ r: Int, _ c: Int) -> Double {
        let (a, b, d, e) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3)
        return m[3 * a + d] * m[3 * b + e] - m[3 * a + e] * m[3 * b + d]
      }
      let determinant = (0..<3).reduce(0.0) { $0 + m[$1] * minor(0, $1) }
      return Matrix((0..<9).map { minor($0 % 3, $0 / 3) / determinant })
    }
  }

  private static func pixels(_ format: PixelFormat) -> Pixels {
    // A linear congruential generator (Numerical Recipes, 7.1).
    var state: UInt32 = 20_261_128
    return Pixels(32, 16, format) { _, _ in
      (0..<format.bands).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(state >> 24)
      }
    }
  }

  private static var colours: Pixels { pixels(.rgb8) }
  private static var grays: Pixels { pixels(.gray8) }

  /// A PNG with chunks behind its header.
  private static func png(_ pixels: Pixels, _ chunks: [UInt8]) throws -> [UInt8] {
    let file = try pixels.png()
    return Array(file[..<33]) + chunks + file[33...]
  }

  private static func difference(_ pixels: Pixels, _ wanted: [Double]) -> Double {
    guard pixels.bytes.count == wanted.count else { return .infinity }
    return zip(pixels.bytes, wanted).map { abs(Double($0) - $1) }.max() ?? 0
  }

  private static func wanted(_ description: Description) -> [Double] {
    stride(from: 0, to: colours.bytes.count, by: 3).flatMap { description.srgb(Array(colours.bytes[$0..<$0 + 3])) }
  }

  /// Within a level of a computation in double precision: half a level is rounding.
  @Test(arguments: Description.all)
  func colourOfPNG(_ description: Description) throws {
    let folder = try Folder()
    try folder.write("in.png", try Self.png(Self.colours, description.chunks))
    try folder.write("gray.png", try Self.png(Self.grays, description.chunks))
    let outcome = try folder.run(
      """
      local p, g = img.open("in.png"), img.open("gray.png")
      p:save("out.png", { profile = "srgb" }) g:save("gray-out.png", { profile = "srgb" })
      p:crop(0, 0, 32, 16):save("kept.png") g:save("none.png", { metadata = "none" })
      """)
    outcome.expect(status: 0)
    let wanted = Self.wanted(description)
    #expect(Self.difference(try Pixels(file: folder("out.png")), wanted) <= 1.5)
    // Gray has a curve alone. An exponent of 2.2 stands for that of sRGB.
    let grays = Self.grays.bytes.map { description.exponent == 2.2 ? Double($0) : description.gray($0) }
    for name in ["gray-out.png", "none.png"] {
      #expect(Self.difference(try Pixels(file: folder(name)), grays) <= 1.5, "\(name)")
    }
    // Where the profile is kept, the same colours come from the file that was written.
    let again = try folder.imghost("convert", "kept.png", "-o", "again.png", "--profile", "srgb")
    #expect(again.status == 0 && folder.bytes("kept.png").holds("iCCP"), "\(again)")
    #expect(Self.difference(try Pixels(file: folder("again.png")), wanted) <= 1.5)
  }

  /// Most PNGs that say so much mean sRGB, as browsers show them.
  @Test func usualChunksMeanSRGB() throws {
    let folder = try Folder()
    let description = Description(name: "", primaries: Description.srgb, exponent: 100_000.0 / 45_455)
    try folder.write("in.png", try Self.png(Self.colours, description.chunks))
    let outcome = try folder.imghost("convert", "in.png", "-o", "out.png", "--profile", "srgb")
    #expect(outcome.status == 0 && folder.bytes("out.png") == folder.bytes("in.png"), "\(outcome)")
  }

  // MARK: EXIF

  /// A block with ColorSpace "uncalibrated" and the index R03.
  private static let adobeBlock: [UInt8] = {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      number(tag, 2) + number(type, 2) + number(count, 4) + value + [UInt8](repeating: 0, count: 4 - value.count)
    }
    let main = number(1, 2) + entry(0x8769, 4, 1, number(26, 4)) + number(0, 4)
    let exif = number(2, 2) + entry(0xa001, 3, 1, [0xff, 0xff]) + entry(0xa005, 4, 1, number(56, 4)) + number(0, 4)
    return Array("II*\0".utf8) + number(8, 4) + main + exif + number(1, 2) + entry(1, 2, 4, Array("R03\0".utf8))
      + number(0, 4)
  }()

  private static func jpeg(_ pixels: Pixels) throws -> [UInt8] {
    let block = Array("Exif\0\0".utf8) + adobeBlock
    let jpeg = try pixels.jpeg(100)
    return jpeg.prefix(2) + [0xff, 0xe1, 0, UInt8(block.count + 2)] + block + jpeg.dropFirst(2)
  }

  private func fields(_ folder: Folder, _ name: String) throws -> String {
    let outcome = try folder.imghost("info", name)
    return outcome.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
      .filter { $0.contains("ColorSpace") || $0.contains("Interop") || $0.hasPrefix("ICC profile") }.joined(
        separator: ", ")
  }

  @Test func adobeRGBByEXIF() throws {
    let folder = try Folder()
    try folder.write("in.jpg", try Self.jpeg(Self.colours))
    let stored = try Pixels(jpeg: folder.bytes("in.jpg"))
    let adobe = Description(name: "", primaries: Description.adobe, exponent: 563.0 / 256)
    let wanted = stride(from: 0, to: stored.bytes.count, by: 3).flatMap { adobe.srgb(Array(stored.bytes[$0..<$0 + 3])) }
    let outcome = try folder.run(
      """
      local p = img.open("in.jpg")
      p:save("srgb.png", { profile = "srgb" }) p:save("none.png", { metadata = "none" })
      p:save("kept.png") p:save("p3.png", { profile = "display-p3" }) p:save("adobe.png", { profile = "adobe-rgb" })
      """)
    outcome.expect(status: 0)
    for name in ["srgb.png", "none.png"] {
      #expect(Self.difference(try Pixels(file: folder(name)), wanted) <= 1.5, "\(name)")
    }
    #expect(try Pixels(file: folder("kept.png")).bytes == stored.bytes)
    #expect(Self.difference(try Pixels(file: folder("adobe.png")), stored.bytes.map(Double.init)) <= 1)
    // Tags agree with the file.
    #expect(try fields(folder, "srgb.png").hasSuffix("exif.ColorSpace 1, exif.InteroperabilityIndex R98"))
    #expect(try fields(folder, "kept.png").hasSuffix("exif.ColorSpace 65535, exif.InteroperabilityIndex R03"))
    #expect(try fields(folder, "adobe.png").hasSuffix("exif.ColorSpace 65535, exif.InteroperabilityIndex R03"))
    #expect(try fields(folder, "p3.png").hasSuffix("exif.ColorSpace 65535"))
  }

  /// Formats of plugins: written with EXIF that says Adobe RGB, and without a profile.
  @Test func adobeRGBByEXIFInWebP() throws {
    let folder = try Folder()
    try folder.write("in.png", try Self.colours.png())
    #expect(try folder.imghost("convert", "in.png", "-o", "plain.webp", "--lossless").status == 0)
    try folder.write(
      "in.webp", WebPFile(plain: folder.bytes("plain.webp"), width: 32, height: 16).with("EXIF", Self.adobeBlock))
    let outcome = try folder.imghost("convert", "in.webp", "-o", "out.png", "--profile", "srgb")
    outcome.expect(status: 0)
    let adobe = Description(name: "", primaries: Description.adobe, exponent: 563.0 / 256)
    #expect(Self.difference(try Pixels(file: folder("out.png")), Self.wanted(adobe)) <= 1.5)
  }

  // MARK: Mixed

  /// Overlays and bases of other colours, gray ones included, look the same as if they were converted first. Linear light
  /// of 8 bits has steps of up to 13 levels in the dark.
  @Test func picturesAreMixedByTheirColours() throws {
    let folder = try Folder()
    let linear = Description.all[0]
    try folder.write("colours.png", try Self.png(Self.colours, linear.chunks))
    try folder.write("gray.png", try Self.png(Self.grays, linear.chunks))
    try folder.write("base.png", try Self.pixels(.rgb8).png())
    let outcome = try folder.run(
      """
      local names = { "colours", "gray", "base" }
      for _, under in ipairs(names) do
        for _, over in ipairs(names) do
          local function open(name, ready)
            local p = img.open(name .. ".png")
            return ready and p:to_profile("srgb") or p
          end
          for _, ready in ipairs{ false, true } do
            open(under, ready):composite(open(over, ready):crop(0, 0, 20, 10), { left = 4, top = 3, opacity = 1 })
              :save(under .. "-" .. over .. (ready and "-ready" or "") .. ".png", { profile = "srgb" })
          end
        end
      end
      img.open("gray.png"):extend{ left = 3, background = "#c84020" }:save("extended.png", { profile = "srgb" })
      """)
    outcome.expect(status: 0)
    for under in ["colours", "gray", "base"] {
      for over in ["colours", "gray", "base"] {
        let mixed = try Pixels(file: folder("\(under)-\(over).png"))
        let ready = try Pixels(file: folder("\(under)-\(over)-ready.png"))
        #expect(
          mixed.layout == ready.layout
            && Self.difference(mixed, ready.bytes.map(Double.init)) <= (under == "colours" && over == "base" ? 13 : 3),
          "\(under), \(over)"
        )
      }
    }
    let extended = try Pixels(file: folder("extended.png"))
    #expect(
      extended[0, 0] == [0xc8, 0x40, 0x20] && abs(Double(extended[3, 0][0]) - linear.gray(Self.grays[0, 0][0])) <= 1.5)
  }

  /// Books hold the pixels as they are, and the profile beside them.
  @Test func booksNameTheColours() throws {
    let folder = try Folder()
    try folder.write("a.png", try Self.png(Self.colours, Description.all[0].chunks))
    try folder.write("b.png", try Self.png(Self.grays, Description.all[1].chunks))
    try folder.write("c.jpg", try Self.jpeg(Self.colours))
    for options in [
      "{ verify = true }", "{ verify = true, conformance = \"pdf/a-1b\" }",
      "{ verify = true, layout = \"grid\" }",
    ] {
      let outcome = try folder.run("img.book(\"b.pdf\", img.glob(\"*.{png,jpg}\"), \(options))")
      #expect(outcome.status == 0 && outcome.error.contains("verified"), "\(options): \(outcome)")
      let file = String(decoding: folder.bytes("b.pdf"), as: UTF8.self)
      #expect(file.contains("/ICCBased"), "\(options)")
    }
  }

  // MARK: Profiles that are ignored

  /// Where a profile cannot be used, the colours are those that the file describes otherwise.
  @Test func descriptionsReplaceUnusableProfiles() throws {
    let folder = try Folder()
    let (linear, usual) = (Description.all[0], Self.colours)
    let damaged = [
      MetadataBlocks.chunk("iCCP", Array("p\0\0rubbish".utf8)),
      MetadataBlocks.chunk("iCCP", Array("p\0\0".utf8) + MetadataBlocks.stored(Array("no profile".utf8))),
      MetadataBlocks.chunk("iCCP", Array("p\0\0".utf8) + MetadataBlocks.stored(StandardProfile.gray.bytes)),
    ]
    for (index, profile) in damaged.enumerated() {
      for (name, chunks, description) in [
        ("before", linear.chunks + profile, linear), ("behind", profile + linear.chunks, linear),
        ("srgb", profile + MetadataBlocks.chunk("sRGB", [0]) + linear.chunks, nil), ("alone", profile, nil),
      ] {
        try folder.write("in.png", try Self.png(usual, chunks))
        let outcome = try folder.imghost("convert", "in.png", "-o", "out.png", "--profile", "srgb")
        #expect(outcome.status == 0 && outcome.error.contains("ICC profile is not copied"), "\(name): \(outcome)")
        let wanted = description.map(Self.wanted) ?? usual.bytes.map(Double.init)
        #expect(Self.difference(try Pixels(file: folder("out.png")), wanted) <= 1.5, "\(index), \(name)")
      }
    }
  }

  /// EXIF counts where the profile of a JPEG or a WebP cannot be used.
  @Test func exifReplacesUnusableProfiles() throws {
    let folder = try Folder()
    let adobe = Description(name: "", primaries: Description.adobe, exponent: 563.0 / 256)
    let profile = Array("ICC_PROFILE\0\u{1}\u{1}no profile".utf8)
    let jpeg = try Self.jpeg(Self.colours)
    try folder.write(
      "in.jpg", jpeg.prefix(2) + [0xff, 0xe2, 0, UInt8(profile.count + 2)] + profile + jpeg.dropFirst(2))
    let stored = try Pixels(jpeg: jpeg)
    let wanted = stride(from: 0, to: stored.bytes.count, by: 3).flatMap { adobe.srgb(Array(stored.bytes[$0..<$0 + 3])) }
    let outcome = try folder.imghost("convert", "in.jpg", "-o", "out.png", "--profile", "srgb")
    outcome.expect(status: 0, error: "ICC profile is not copied (it is damaged)")
    #expect(Self.difference(try Pixels(file: folder("out.png")), wanted) <= 1.5)
  }

  /// `profile = "srgb"` copies no file together with a profile that is not that of its pixels.
  @Test(arguments: ["jpg", "png"])
  func wrongProfilesAreNotCopied(_ ending: String) throws {
    let folder = try Folder()
    for (name, profile) in [("gray", StandardProfile.gray.bytes), ("damaged", Array("no profile at all".utf8))] {
      let blocks = MetadataBlocks(profile: profile)
      try folder.write("\(name).\(ending)", ending == "jpg" ? blocks.jpeg : blocks.png)
      let outcome = try folder.imghost("convert", "\(name).\(ending)", "-o", "out.\(ending)", "--profile", "srgb")
      #expect(outcome.status == 0 && outcome.error.contains("ICC profile is not copied (it is "), "\(name): \(outcome)")
      #expect(!folder.bytes("out.\(ending)").holds(ending == "jpg" ? "ICC_PROFILE" : "iCCP"))
      // Where nothing else is asked for, the file is copied as it is.
      #expect(try folder.imghost("convert", "\(name).\(ending)", "-o", "same.\(ending)").status == 0)
      #expect(folder.bytes("same.\(ending)") == folder.bytes("\(name).\(ending)"))
      // Whatever metadata is kept, the note says that colours are others than the file says.
      let none = try folder.imghost("convert", "\(name).\(ending)", "-o", "none.png", "--metadata", "none")
      none.expect(status: 0, error: "ICC profile is not copied")
    }
  }
}

extension [UInt8] {
  fileprivate func holds(_ text: String) -> Bool {
    let words = Array(text.utf8)
    return indices.dropLast(words.count - 1).contains { self[$0...].starts(with: words) }
  }
}
