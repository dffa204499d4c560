import ImageCore
import Scheduling

/// The tiles of one picture. As a document, it has one page, which consists of the picture's rows.
final class TilesFile: Document {
  /// The paths after following links.
  struct Places: Sendable {
    let folder: InternedPath
    /// The path of `NAME.dzi`; nil if the description is inside the folder.
    let description: InternedPath?
  }

  let pyramid: TilePyramid
  let format: SaveFormat
  let job: Job
  let places: Places
  /// The paths as the script gives them, without following links.
  let paths: (folder: String, description: String?)
  let outputIndex: Int

  init(_ pyramid: TilePyramid, _ format: SaveFormat, path: String, places: Places, job: Job) {
    self.pyramid = pyramid
    self.format = format
    self.job = job
    self.places = places
    paths = Self.paths(path, pyramid.layout)
    outputIndex = job.addOutput(Self.output(paths))
  }

  /// The path of the file to open in a viewer.
  var path: String { Self.output(paths) }

  /// Returns a path without Deep Zoom's extension `.dzi`.
  static func base(_ path: String) -> String { path.hasSuffix(".dzi") ? String(path.dropLast(4)) : path }

  /// Returns the path of the folder, and the path of the description if it is next to the folder.
  static func paths(_ path: String, _ layout: TileLayout) -> (folder: String, description: String?) {
    layout == .iiif ? (path, nil) : (base(path) + "_files", base(path) + ".dzi")
  }

  private static func output(_ paths: (folder: String, description: String?)) -> String {
    paths.description ?? paths.folder + "/info.json"
  }

  /// Returns whether a file may be part of a pyramid of this layout, given its path in the folder.
  static func isTile(_ name: String, _ layout: TileLayout) -> Bool {
    func isNumber(_ text: Substring) -> Bool { !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    let parts = name.split(separator: "/")
    guard let file = parts.last else { return false }
    let stem = file.prefix { $0 != "." }
    switch layout {
    case .deepzoom:
      let numbers = stem.split(separator: "_", omittingEmptySubsequences: false)
      return parts.count == 2 && isNumber(parts[0]) && numbers.count == 2 && numbers.allSatisfy(isNumber)
    case .iiif:
      return name == "info.json" || parts.count == 4 && parts[2] == "0" && stem == "default"
    }
  }

  var codec: (any PictureCodec)? { format.codec }
  var ignoresMetadata: Bool { true }

  func start(_ run: RunProgress) {}

  func title(of page: DocumentEntry) -> String {
    let count = pyramid.tileCount
    return "\(printable(path)) (\(count) tile\(count == 1 ? "" : "s"))"
  }

  func makeOutput(_ page: DocumentEntry, _ run: RunProgress) -> any DocumentOutput { TilesWriter(self, page, run) }

  func byteCount(of page: DocumentEntry, _ layout: PictureLayout, parallelism: Int) -> Int {
    let target = format.codec.encodedLayout(for: layout, format.arguments)
    let bands = pyramid.levels.reduce(0) { $0 + PyramidBand.byteCount($1, target.format) }
    let side = pyramid.levels[0].side + 2 * pyramid.levels[0].overlap
    let tile = target.with(width: side, height: side)
    return bands + parallelism
      * (format.codec.encoderByteCount(for: tile, arguments: format.arguments, parallelism: 1) + tile.byteCount)
  }

  func backpressure(on page: DocumentEntry, workers: Int) -> Backpressure? { nil }

  func leave(_ page: DocumentEntry, _ run: RunProgress) { run.leave(job, outputIndex) }
}
