import ImageCore

/// The arrangement of tiles in a folder, named after its viewers or standard.
enum TileLayout: String, CaseIterable {
  /// Deep Zoom: `NAME.dzi` next to the folder `NAME_files`, which has a subfolder for each level.
  case deepzoom
  /// IIIF Image API 3.0, level 0: a folder with `info.json`, and files at the paths that viewers request.
  case iiif

  /// Returns the layout that options ask for; nil for one that does not exist.
  init?(_ options: RawArguments) {
    switch options.named.first(where: { $0.name == "layout" })?.value {
    case nil: self = .deepzoom
    case .text(let name)?: self.init(rawValue: name)
    default: return nil
    }
  }

  /// The usual side of a tile, and the usual number of pixels that it shows of each neighbour.
  var usualSide: Int { self == .deepzoom ? 254 : 256 }
  var usualOverlap: Int { self == .deepzoom ? 1 : 0 }
}

/// One size of a picture, cut into tiles.
struct TileLevel: Sendable, Equatable {
  let width: Int
  let height: Int
  /// The width, in full-size pixels, of one pixel of the level: a power of two.
  let scale: Int
  /// The side of a tile without overlap.
  let side: Int
  /// The number of pixels that a tile extends into its neighbours.
  let overlap: Int

  var columns: Int { (width + side - 1) / side }
  var rows: Int { (height + side - 1) / side }

  /// Returns the rows that a row of tiles contains.
  func span(ofRow row: Int) -> Range<Int> {
    max(0, row * side - overlap)..<min(height, (row + 1) * side + overlap)
  }

  /// Returns the columns that a tile contains.
  func span(ofColumn column: Int) -> Range<Int> {
    max(0, column * side - overlap)..<min(width, (column + 1) * side + overlap)
  }
}

/// The levels of a picture that is cut into tiles, and the names of the files.
///
/// Deep Zoom follows Microsoft's collection schema 2008 and libvips' `dzsave`. IIIF follows the Image API 3.0
/// (https://iiif.io/api/image/3.0/), whose canonical paths are `{region}/{size}/0/default.{format}`.
struct TilePyramid: Sendable {
  let layout: TileLayout
  /// The levels, the largest first. Each has half the size of the previous one, rounded up. The smallest is one pixel
  /// in Deep Zoom, and fits into one tile in IIIF.
  let levels: [TileLevel]
  /// The file extension of tiles, without the dot.
  let ending: String
  /// The URL of the picture, which is part of IIIF's description.
  let address: String

  init(
    _ layout: TileLayout, width: Int, height: Int, side: Int, overlap: Int, ending: String, address: String = ""
  ) {
    self.layout = layout
    self.ending = ending
    self.address = address
    var levels: [TileLevel] = []
    var (width, height, scale) = (width, height, 1)
    while true {
      levels.append(TileLevel(width: width, height: height, scale: scale, side: side, overlap: overlap))
      let isLast = layout == .deepzoom ? max(width, height) == 1 : max(width, height) <= side
      if isLast { break }
      (width, height, scale) = ((width + 1) / 2, (height + 1) / 2, scale * 2)
    }
    self.levels = levels
  }

  var tileCount: Int { levels.reduce(0) { $0 + $1.columns * $1.rows } }

  /// Returns the paths of a tile in its folder. The same file is written to each of them.
  func paths(level index: Int, column: Int, row: Int) -> [String] {
    let level = levels[index]
    guard layout == .iiif else { return ["\(levels.count - 1 - index)/\(column)_\(row).\(ending)"] }
    let (across, down) = (level.span(ofColumn: column), level.span(ofRow: row))
    let size = "\(across.count),\(down.count)"
    let (left, top) = (across.lowerBound * level.scale, down.lowerBound * level.scale)
    let (width, height) = (levels[0].width, levels[0].height)
    let region = [
      left, top, min(across.count * level.scale, width - left), min(down.count * level.scale, height - top),
    ].map(String.init).joined(separator: ",")
    var paths = [region + "/" + size]
    // The whole picture has several names, because viewers request it by its region, or as one of 'sizes'.
    if level.columns == 1, level.rows == 1 {
      paths.append("full/" + size)
      if index == 0 { paths.append("full/max") }
    }
    return paths.map { $0 + "/0/default.\(ending)" }
  }

  /// The content of the file that describes the pyramid: `NAME.dzi` or `info.json`.
  var description: String { layout == .deepzoom ? deepZoomDescription : imageInformation }

  private var deepZoomDescription: String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <Image xmlns="http://schemas.microsoft.com/deepzoom/2008" Format="\(ending)" Overlap="\(levels[0].overlap)" \
    TileSize="\(levels[0].side)">
      <Size Width="\(levels[0].width)" Height="\(levels[0].height)"/>
    </Image>

    """
  }

  private var imageInformation: String {
    let smallest = levels[levels.count - 1]
    let factors = levels.map { String($0.scale) }.joined(separator: ", ")
    var lines = [
      "\"@context\": \"http://iiif.io/api/image/3/context.json\"",
      "\"id\": \(JSONText.quoted(address))",
      "\"type\": \"ImageService3\"",
      "\"protocol\": \"http://iiif.io/api/image\"",
      "\"profile\": \"level0\"",
      "\"width\": \(levels[0].width)",
      "\"height\": \(levels[0].height)",
      "\"sizes\": [{ \"width\": \(smallest.width), \"height\": \(smallest.height) }]",
      "\"tiles\": [{ \"width\": \(smallest.side), \"height\": \(smallest.side), \"scaleFactors\": [\(factors)] }]",
    ]
    // Level 0 implies JPEG; other formats must be declared.
    if ending != "jpg" {
      lines.append("\"preferredFormats\": [\"\(ending)\"]")
      lines.append("\"extraFormats\": [\"\(ending)\"]")
    }
    return "{\n" + lines.map { "  " + $0 }.joined(separator: ",\n") + "\n}\n"
  }
}
