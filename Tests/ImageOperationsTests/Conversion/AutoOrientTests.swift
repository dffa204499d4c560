import ImageCore
import ImageOperations
import Testing

@Suite struct AutoOrientTests {
  /// A letter F as each orientation stores it, after Exif 2.32, table 6; each must come out upright.
  static let stored: [(Orientation, [String])] = [
    (.upright, ["###", "#..", "##.", "#..", "#.."]),
    (.mirrored, ["###", "..#", ".##", "..#", "..#"]),
    (.rotated180, ["..#", "..#", ".##", "..#", "###"]),
    (.flipped, ["#..", "#..", "##.", "#..", "###"]),
    (.transposed, ["#####", "#.#..", "#...."]),
    (.rotated90, ["#....", "#.#..", "#####"]),
    (.transversed, ["....#", "..#.#", "#####"]),
    (.rotated270, ["#####", "..#.#", "....#"]),
  ]

  @Test(arguments: stored)
  func turnsUpright(_ orientation: Orientation, _ rows: [String]) throws {
    let upright = Self.stored[0].1
    for format in PixelFormat.all {
      let result = try AutoOrient(orientation).run([picture(rows, format)])
      #expect(result == picture(upright, format), "\(format)")
    }
  }

  /// Bands get different samples, so that mixing them up shows.
  private func picture(_ rows: [String], _ format: PixelFormat) -> Picture {
    Picture(rows[0].count, rows.count, format) { x, y, band in
      Array(rows[y])[x] == "#" ? format.sample.maximum - band : 10 + band
    }
  }

  /// Bigger than the tiles that turning works in.
  @Test(arguments: Orientation.allCases)
  func movesEveryPixelOfLargePictures(_ orientation: Orientation) throws {
    let input = Picture.noise(77, 45, .rgb8)
    let result = try AutoOrient(orientation).run([input])
    let (right, bottom) = (input.width - 1, input.height - 1)
    let expected = Picture(result.width, result.height, .rgb8) { x, y, band in
      switch orientation {
      case .upright: input[x, y, band]
      case .mirrored: input[right - x, y, band]
      case .rotated180: input[right - x, bottom - y, band]
      case .flipped: input[x, bottom - y, band]
      case .transposed: input[y, x, band]
      case .rotated90: input[y, bottom - x, band]
      case .transversed: input[right - y, bottom - x, band]
      case .rotated270: input[right - y, x, band]
      }
    }
    #expect(result == expected)
  }

  @Test func scriptsTakeTheOrientationFromThePicture() throws {
    let definition = try #require(
      OperationList.all.first { $0.descriptor.name == "auto_orient" })
    let arguments = try Arguments(RawArguments(), for: definition.descriptor)
    var metadata = PictureMetadata(
      orientation: .rotated90, exif: ["Orientation": .integer(6)],
      resolution: Resolution(horizontal: 300, vertical: 72))
    let operation = try #require(definition.make(arguments).adapted(to: metadata))
    #expect(operation.turning == .rotated90)
    let layout = PictureLayout(width: 4, height: 3, format: .rgb8)
    #expect(try operation.outputLayout(of: [layout]) == layout.with(width: 3, height: 4))
    metadata = operation.outputMetadata(metadata)
    #expect(metadata.orientation == .upright)
    #expect(metadata.exif["Orientation"] == .integer(1))
    #expect(metadata.resolution == Resolution(horizontal: 72, vertical: 300))
  }

  /// A decoder may have shrunk the picture: what comes in counts, not what was announced.
  @Test(arguments: Orientation.allCases)
  func worksOnShrunkInput(_ orientation: Orientation) throws {
    let shrunk = Picture.noise(5, 3, .rgb8)
    let nominal = PictureLayout(width: 10, height: 6, format: .rgb8)
    let result = try AutoOrient(orientation).open([shrunk.source], nominal: [nominal], context: .serial)
    #expect(try Picture(result) == AutoOrient(orientation).run([shrunk]))
  }
}
