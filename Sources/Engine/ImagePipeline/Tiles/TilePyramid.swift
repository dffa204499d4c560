import ImageCore

/// The arrangement of tiles in a folder, by the viewers that read it.
enum TileLayout: String, CaseIterable {
  /// Deep Zoom: `NAME.dzi` beside the folder `NAME_files`, in which each level has a folder.
  case deepzoom
  /// IIIF Image API 3.0, level 0: a folder with `info.json`, and files at the paths that viewers request.
  case iiif
}

/// One size of a picture, cut into tiles.
struct TileLevel: Sendable, Equatable {
  let width: Int
  let height: Int
  /// The number of full-size pixels across that each of its pixels shows: a power of two.
  let scale: Int
  /// The side of a tile without overlap.
  let side: Int
  /// The pixels by which a tile reaches into its neighbours.
  let overlap: Int

  var columns: Int { (width + side - 1) / side }
  var rows: Int { (height + side - 1) / side }

  /// The rows that the tiles of a row of tiles show.
  func span(ofRow row: Int) -> Range<Int> {
    max(0, row * side - overlap)..<min(height, (row + 1) * side + overlap)
  }

  /// The columns that a tile shows.
  func span(ofColumn column: Int) -> Range<Int> {
    max(0, column * side - overlap)..<min(width, (column + 1) * side + overlap)
  }
}

/// The levels of a picture in tiles, and the names of their files.
///
/// Deep Zoom as Microsoft's collection schema 2008 and libvips' `dzsave` have it; IIIF as the Image API 3.0 at
/// https://iiif.io/api/image/3.0/ has it, whose canonical paths are `{region}/{size}/0/default.{format}`.
struct TilePyramid: Sendable {
  let layout: TileLayout
  /// The largest level first. Each has half the size of the one before, rounded up: in Deep Zoom down to one pixel, in
  /// IIIF down to one tile.
  let levels: [TileLevel]
  /// The file ending of tiles, without the dot.
  let ending: String
  /// The address of the picture, which IIIF's description contains.
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

  /// Returns the paths of a tile in its folder. All of them have the same bytes.
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
    // The whole picture has more names: viewers ask for it by its region, or as one of 'sizes'.
    if level.columns == 1, level.rows == 1 {
      paths.append("full/" + size)
      if index == 0 { paths.append("full/max") }
    }
    return paths.map { $0 + "/0/default.\(ending)" }
  }

  /// The text of the file that describes the pyramid: `NAME.dzi` or `info.json`.
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
    // Level 0 promises JPEG; other formats are named.
    if ending != "jpg" {
      lines.append("\"preferredFormats\": [\"\(ending)\"]")
      lines.append("\"extraFormats\": [\"\(ending)\"]")
    }
    return "{\n" + lines.map { "  " + $0 }.joined(separator: ",\n") + "\n}\n"
  }
}
