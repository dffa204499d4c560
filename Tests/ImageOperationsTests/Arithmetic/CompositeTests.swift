import ImageCore
import ImageKernels
import ImageOperations
import Testing

@Suite struct CompositeTests {
  @Test(arguments: BlendMode.allCases)
  func matchesTheDefinition(_ mode: BlendMode) throws {
    let call = Call("composite", .picture(1), named: ["blend": .text(mode.rawValue), "opacity": 0.8])
    for format in [PixelFormat.rgba8, .rgb8, .graya8, .rgba16] {
      let overlayFormat = format.with(alpha: true)
      let base = Picture.noise(31, 17, format)
      let overlay = Picture.noise(31, 17, overlayFormat, seed: 5)
      let result = try call.run(base, overlay)
      #expect(result.layout.format.hasAlpha == (format.hasAlpha || mode.canRemove))
      for y in 0..<17 { for x in 0..<31 { try check(mode, result, base, overlay, x, y) } }
    }
  }

  private func check(_ mode: BlendMode, _ result: Picture, _ base: Picture, _ overlay: Picture, _ x: Int, _ y: Int)
    throws
  {
    let backdrop = base.fractions(x, y)
    let source = overlay.fractions(x, y)
    let colours = base.layout.format.model.bandCount
    let backdropAlpha = base.layout.format.hasAlpha ? backdrop[colours] : 1
    for band in 0..<colours {
      let (colour, alpha) = ReferenceBlend.composite(
        mode.rawValue, source: source[band], source[colours] * 0.8, backdrop: backdrop[band], backdropAlpha)
      let tolerance = result.layout.format.sample == .u8 ? 0.51 : 2
      let found = Double(result[x, y, band])
      // Colours of transparent pixels are not seen.
      if alpha * Double(result.top) >= 0.5 {
        let expected = max(0, min(1, colour)) * Double(result.top)
        #expect(abs(found - expected) <= tolerance, "\(mode) at \(x),\(y): \(found), \(expected)")
      }
      if result.layout.format.hasAlpha {
        let alphaFound = Double(result[x, y, colours])
        #expect(abs(alphaFound - alpha * Double(result.top)) <= tolerance, "\(mode)")
      }
    }
  }

  /// The position of a 2x2 overlay's top left pixel on a base of 7x6.
  @Test(arguments: [
    ("centre", 3, 2), ("center", 3, 2), ("north", 3, 0), ("northeast", 5, 0), ("east", 5, 2),
    ("southeast", 5, 4), ("south", 3, 4), ("southwest", 0, 4), ("west", 0, 2), ("northwest", 0, 0),
  ])
  func gravity(_ name: String, _ left: Int, _ top: Int) throws {
    let result = try Call("composite", .picture(1), named: ["gravity": .text(name)]).run(black, white)
    #expect(result == blackWithSquare(left, top))
  }

  @Test(arguments: [(1, 3), (-1, 5), (6, -1), (40, 0), (0, -2)])
  func place(_ left: Int, _ top: Int) throws {
    let result = try Call(
      "composite", .picture(1), named: ["left": .integer(left), "top": .integer(top)]
    ).run(black, white)
    #expect(result == blackWithSquare(left, top))
  }

  private let black = Picture(7, 6, .gray8) { _, _, _ in 0 }
  private let white = Picture(2, 2, .gray8) { _, _, _ in 255 }

  private func blackWithSquare(_ left: Int, _ top: Int) -> Picture {
    Picture(7, 6, .gray8) { x, y, _ in
      (left..<left + 2).contains(x) && (top..<top + 2).contains(y) ? 255 : 0
    }
  }

  @Test func tiles() throws {
    let base = Picture(8, 5, .gray8) { _, _, _ in 0 }
    let overlay = Picture(3, 2, .gray8, [1, 2, 3, 4, 5, 6])
    let result = try Call("composite", .picture(1), named: ["left": 1, "top": -1, "tile": true]).run(base, overlay)
    #expect(
      result.samples == [
        6, 4, 5, 6, 4, 5, 6, 4, 3, 1, 2, 3, 1, 2, 3, 1, 6, 4, 5, 6, 4, 5, 6, 4,
        3, 1, 2, 3, 1, 2, 3, 1, 6, 4, 5, 6, 4, 5, 6, 4,
      ])
  }

  @Test func modesThatClearDoSoOutside() throws {
    let base = Picture(4, 3, .gray8) { _, _, _ in 100 }
    let result = try Call(
      "composite", .picture(1), named: ["blend": "in", "left": 1, "top": 1]
    ).run(base, Picture(1, 1, .gray8, [200]))
    #expect(
      result == Picture(4, 3, .graya8) { x, y, band in x == 1 && y == 1 ? [200, 255][band] : 0 })
  }

  @Test func overlaysTakeTheDepthOfTheBase() throws {
    let rows: [(PixelFormat, PixelFormat, [Int], [Int])] = [
      (.rgb8, .gray8, [77], [77, 77, 77]),
      (.gray8, .rgb8, [90, 10, 200], [90, 10, 200]),
      (.graya8, .rgb8, [90, 10, 200], [90, 10, 200, 255]),
      (.gray8, .graya8, [90, 255], [90]),
      (PixelFormat(.u16, .gray), .rgb8, [1, 2, 255], [257, 514, 65_535]),
      (.rgb16, .rgb8, [1, 2, 255], [257, 514, 65_535]),
      (.rgb8, .rgba16, [257, 514, 65_535, 65_535], [1, 2, 255]),
      (.gray8, .rgba16, [25_700, 257, 514, 65_535], [100, 1, 2]),
    ]
    for (baseFormat, format, samples, expected) in rows {
      let base = Picture(1, 1, baseFormat) { _, _, _ in 0 }
      let result = try Call("composite", .picture(1)).run(base, Picture(1, 1, format, samples))
      #expect(result.samples == expected, "\(format) on \(baseFormat)")
    }
  }

  @Test func britishNames() throws {
    let base = Picture.noise(9, 5, .rgb8)
    let overlay = Picture.noise(9, 5, .rgba8, seed: 3)
    for mode in ["dodge", "burn"] {
      let results = try ["color-", "colour-"].map {
        try Call("composite", .picture(1), named: ["blend": .text($0 + mode)]).run(base, overlay)
      }
      #expect(results[0] == results[1])
    }
  }

  @Test func gravityAndPlaceExcludeEachOther() {
    #expect(throws: OperationError.self) {
      _ = try Call("composite", .picture(1), named: ["gravity": "north", "left": 1]).make()
    }
  }
}
