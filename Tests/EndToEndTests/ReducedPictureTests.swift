import ImageCodecs
import PictureTestSupport
import TestSupport
import Testing

/// Small versions of files that contain reduced pictures or can be decoded at a reduced size, compared with those of a
/// PNG.
@Suite(.wholeRuns) struct ReducedPictureTests {
  /// Saves `file` and `a.png` at a width, and returns both.
  private func small(_ folder: Folder, _ file: String, _ width: Int, _ operations: String = "") throws -> (
    Pixels, Pixels
  ) {
    let outcome = try folder.run(
      """
      img.open("\(file)")\(operations):resize(\(width)):save("small.png")
      img.open("a.png")\(operations):resize(\(width)):save("expected.png")
      """)
    #expect(outcome.status == 0 && outcome.messages.isEmpty, "\(outcome)")
    return (try Pixels(file: folder("small.png")), try Pixels(file: folder("expected.png")))
  }

  private func mean(_ one: Pixels, _ other: Pixels) -> Double {
    guard one.layout == other.layout else { return .infinity }
    let sum = zip(one.bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return Double(sum) / Double(one.bytes.count)
  }

  private func png(_ folder: Folder, _ pixels: Pixels, _ script: String) throws {
    try folder.write("a.png", pixels.png())
    let outcome = try folder.run(script)
    outcome.expect(status: 0)
  }

  // MARK: JPEG 2000

  /// Returns the number of columns that are black, averaged over the rows.
  private func edge(_ pixels: Pixels) -> Double {
    let sum = pixels.bytes.reduce(0) { $0 + 255 - Int($1) }
    return Double(sum) / 255 / Double(pixels.height * pixels.bands)
  }

  @Test(arguments: ["", ":flop()", ":rotate(180)", ":crop(40, 0, 560, 64)"], [320, 321, 327])
  func edgesOfJPEG2000AreInTheirPlace(_ operations: String, _ column: Int) throws {
    let folder = try Folder()
    let picture = Pixels(640, 64, .gray8) { x, _ in [x < column ? 0 : 255] }
    try png(folder, picture, "img.open('a.png'):save('a.jp2', { lossless = true })")
    for width in [320, 160, 80, 40, 20] {
      let (small, expected) = try small(folder, "a.jp2", width, operations)
      #expect(abs(edge(small) - edge(expected)) < 0.05, "\(width): \(edge(small)), \(edge(expected))")
    }
  }

  @Test func fineLinesOfJPEG2000DoNotAlias() throws {
    let folder = try Folder()
    // Rings, ever finer, to the limit of what the file holds.
    let picture = Pixels(512, 512, .gray8) { x, y in
      let phase = Double(x * x + y * y) * .pi / 1_024
      return [UInt8(127.5 + 120 * sine(phase))]
    }
    try png(folder, picture, "img.open('a.png'):save('a.jp2', { lossless = true })")
    let (small, expected) = try small(folder, "a.jp2", 64)
    #expect(mean(small, expected) < 6, "\(mean(small, expected))")
  }

  @Test func coloursUnderTransparentPixelsStayThere() throws {
    let folder = try Folder()
    let picture = Pixels(256, 256, .rgba8) { x, y in
      let isInside = (x - 120) * (x - 120) + (y - 130) * (y - 130) < 90 * 90
      return isInside ? [0, 0, 255, 255] : [255, 0, 0, 0]
    }
    try png(folder, picture, "img.open('a.png'):save('a.jp2', { lossless = true })")
    for width in [128, 32, 16] {
      let (small, _) = try small(folder, "a.jp2", width)
      for start in stride(from: 0, to: small.bytes.count, by: 4) where small.bytes[start + 3] > 16 {
        #expect(small.bytes[start] == 0, "\(width)")
      }
    }
  }

  /// Indices have no averages. A gray file gets a palette that scatters neighbouring colours.
  @Test func indicesOfAPaletteAreNotAveraged() throws {
    let folder = try Folder()
    let indices = Pixels(256, 192, .gray8) { x, y in [UInt8((x / 16 + y / 16 * 5) % 64)] }
    let palette: [[UInt8]] = (0..<256).map { (index: Int) -> [UInt8] in
      let (red, green, blue) = (index * 37, index * 91, 255 - index * 53)
      return [UInt8(red & 255), UInt8(green & 255), UInt8(blue & 255)]
    }
    try png(folder, indices, "img.open('a.png'):save('g.jp2', { lossless = true })")
    try folder.write("a.png", Pixels(256, 192) { x, y in palette[Int(indices[x, y][0])] }.png())
    try folder.write("a.jp2", withPalette(folder.bytes("g.jp2"), palette))
    for width in [256, 64, 16] {
      let (small, expected) = try small(folder, "a.jp2", width)
      #expect(mean(small, expected) < 0.5, "\(width): \(mean(small, expected))")
    }
  }

  /// Inserts a palette and its mapping behind the colour box of a JP2 (ISO/IEC 15444-1, I.5.3).
  private func withPalette(_ file: [UInt8], _ palette: [[UInt8]]) -> [UInt8] {
    func box(_ kind: String, _ content: [UInt8]) -> [UInt8] { number(8 + content.count) + Array(kind.utf8) + content }
    func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
    func place(_ kind: String) -> Int {
      let kind = Array(kind.utf8)
      return file.indices.first { file[$0...].starts(with: kind) }! - 4
    }
    let head = place("jp2h"), colour = place("colr")
    func size(_ at: Int) -> Int { file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
    var bytes = file
    // sRGB, in place of gray.
    bytes.replaceSubrange(colour..<colour + size(colour), with: box("colr", [1, 0, 0] + number(16)))
    let added =
      box("pclr", number(palette.count, 2) + [3, 7, 7, 7] + palette.flatMap { $0 })
      + box("cmap", (0..<3).flatMap { [0, 0, 1, UInt8($0)] })
    let end = head + size(head) + 15 - size(colour)
    bytes.insert(contentsOf: added, at: end)
    bytes.replaceSubrange(head..<head + 4, with: number(end - head + added.count))
    return bytes
  }

  // MARK: TIFF

  private static let width = 2_304, height = 2_048, shrink = 4

  /// Returns squares of 64 pixels. `value` returns the gray of each by its number.
  private static func squares(_ width: Int, _ height: Int, _ side: Int, _ value: (Int, Int) -> Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(width * height)
    for row in 0..<(height + side - 1) / side {
      var line: [UInt8] = []
      for column in 0..<(width + side - 1) / side {
        line += [UInt8](repeating: UInt8(clamping: value(column, row)), count: min(side, width - column * side))
      }
      for _ in 0..<min(side, height - row * side) { bytes += line }
    }
    return bytes
  }

  private static func page(_ column: Int, _ row: Int) -> Int { (column * 5 + row * 3) % 8 * 25 + 20 }

  /// Returns a file with a page, followed by a reduced image.
  private static func tiff(_ reduced: [UInt8]) -> [UInt8] {
    TIFFPage.file([
      TIFFPage(width: width, height: height, pixels: squares(width, height, 64, page)),
      TIFFPage(width: width / shrink, height: height / shrink, pixels: reduced, isReduced: true),
    ])
  }

  /// The contents of the reduced image, and whether it is used. One of them differs by 2 levels, which shows whether it
  /// was used.
  private static let levels: [(name: String, isUsed: Bool, value: @Sendable (Int, Int) -> Int)] = [
    ("the page", true, { page($0, $1) + 2 }), ("its negative", false, { 255 - page($0, $1) }),
    ("a brighter one", false, { page($0, $1) + 9 }), ("another one", false, { page($1 * 3, $0 + 1) }),
    ("the page, shifted", false, { page($0 + 1, $1) }), ("gray", false, { _, _ in 108 }),
  ]

  @Test(arguments: levels.indices)
  func aReducedImageIsUsedOnlyIfItShowsThePage(_ index: Int) throws {
    let (name, isUsed, value) = Self.levels[index]
    let folder = try Folder()
    let side = 64 / Self.shrink
    try folder.write(
      "a.tif", Self.tiff(Self.squares(Self.width / Self.shrink, Self.height / Self.shrink, side, value)))
    let outcome = try folder.run("img.open('a.tif'):resize(288):save('s.png', { palette = false })")
    outcome.expect(status: 0)
    let small = try Pixels(file: folder("s.png"))
    // Eight pixels of the result show a square: the middle is beyond the kernel's reach from its edges.
    for row in 0..<32 {
      for column in 0..<36 {
        let sample = Int(small[column * 8 + 4, row * 8 + 4][0])
        #expect(abs(sample - Self.page(column, row) - (isUsed ? 2 : 0)) <= 1, "\(name) at \(column), \(row)")
      }
    }
  }

  /// A small page costs little: its reduced image is never used.
  @Test func aSmallPageIsReadItself() throws {
    let folder = try Folder()
    try folder.copy(
      Built.root + "/Tests/PluginHostTests/Fixtures/Codecs/tiff/pyramid.tif", to: "a.tif")
    let outcome = try folder.run("img.open('a.tif'):save('a.png')")
    outcome.expect(status: 0)
    let (small, expected) = try small(folder, "a.tif", 18)
    #expect(small == expected)
  }
}

/// Returns a sine without Foundation, exact to one 8-bit level.
private func sine(_ phase: Double) -> Double {
  let x = phase - 2 * .pi * (phase / (2 * .pi)).rounded()
  let y = 4 / Double.pi * x - 4 / (Double.pi * Double.pi) * x * x.magnitude
  return 0.225 * (y * y.magnitude - y) + y
}
