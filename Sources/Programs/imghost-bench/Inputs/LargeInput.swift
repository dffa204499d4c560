import CBenchJPEG

/// Large pictures, laid out of different photographs side by side.
enum LargeInput {
  /// 20000x15000: 25 photographs.
  case jpeg
  /// The same with a restart marker before each row of MCUs.
  case restarts
  /// 8000x6000: 4 photographs.
  case png

  var title: String {
    switch self {
    case .jpeg: "one JPEG of 300 MP"
    case .restarts: "one JPEG of 300 MP with restart markers"
    case .png: "one PNG of 48 MP"
    }
  }
  private var side: Int { self == .png ? 2 : 5 }
  private var name: String {
    switch self {
    case .jpeg: "large.jpg"
    case .restarts: "large-restarts.jpg"
    case .png: "large.png"
    }
  }
  static let (tileWidth, tileHeight) = (4000, 3000)

  /// Makes the file if it is not there; gives its path.
  func path(_ bench: Bench) throws(BenchFailure) -> String {
    let folder = bench.inputs.folder
    let path = folder + "/" + name
    if RawFile.exists(path) { return path }
    BenchProgram.message("making \(title)")
    let photos = try bench.inputs.neededPhotos()
    let count = side * side
    let tiles = (0..<count).map { photos[$0 * photos.count / count] }
    // A PNG by way of a JPEG of high quality.
    let jpeg = self == .png ? folder + "/large-source.jpg" : path + ".part"
    let arguments = [jpeg, String(side), self == .png ? "97" : "90", self == .restarts ? "1" : "0"] + tiles
    guard Measurement(Subprocess.largeInput.command(arguments)) != nil else { throw .noInput(title) }
    if self != .png {
      guard Measurement(["mv", jpeg, path]) != nil else { throw .noInput(title) }
      return path
    }
    let script = TextFile.write(
      """
      require "imghost".open(arg[1]):save("large.png")
      """, bench.scratch.path + "/png.lua")
    let command = [Folder.sibling("imghost"), "run", "--out", folder, script, jpeg]
    guard Measurement(command) != nil, Measurement(["rm", jpeg]) != nil else { throw .noInput(title) }
    return path
  }

  /// `RESULT SIDE QUALITY RESTARTS PHOTO…`.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 4, let side = Int(arguments[1]), let quality = Int32(arguments[2]),
      let restarts = Int32(arguments[3])
    else { return 2 }
    let photos = Array(arguments[4...])
    let width = side * tileWidth
    guard photos.count == side * side,
      let writer = bench_jpeg_writer_create(arguments[0], Int32(width), Int32(side * tileHeight), quality, restarts)
    else { return 1 }
    var band = [UInt8](repeating: 0, count: width * tileHeight * 3)
    for row in 0..<side {
      for column in 0..<side {
        guard let tile = DecodedJPEG(photos[row * side + column]), tile.width >= tileWidth, tile.height >= tileHeight
        else { return 1 }
        for y in 0..<tileHeight {
          let target = (y * width + column * tileWidth) * 3
          let source = y * tile.width * 3
          band.replaceSubrange(target..<target + tileWidth * 3, with: tile.samples[source..<source + tileWidth * 3])
        }
      }
      bench_jpeg_writer_add(writer, band, Int32(tileHeight))
    }
    return bench_jpeg_writer_close(writer) == 0 ? 0 : 1
  }
}
