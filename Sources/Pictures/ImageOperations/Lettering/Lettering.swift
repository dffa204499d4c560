import ImageCore
import TextShaping
import VectorShapes

/// A text with its layout and decoration, in pixels from the upper left corner of its lines.
struct Lettering: Sendable {
  let style: LetteringStyle
  let size: Double
  let missing: [MissingCharacter]
  private let glyphs: [[Contour]]
  /// The bounding box of the lines, including the padding of a background.
  private let box: (left: Double, top: Double, right: Double, bottom: Double)
  /// The baseline of the first line.
  private let baseline: Double

  /// - Parameter width: the width at which lines are wrapped; may be infinite.
  init(_ text: String, style: LetteringStyle, size: Double, width: Double) throws(OperationError) {
    self.style = style
    self.size = size
    let block = try style.block(text, size: size, width: width)
    missing = block.missing
    let padding = style.padding(size)
    box = (
      (block.lines.map(\.left).min() ?? 0) - padding, -padding,
      (block.lines.map { $0.left + $0.width }.max() ?? 0) + padding, block.height + padding
    )
    baseline = block.lines.first?.baseline ?? 0
    var outlines: [GlyphKey: Path] = [:]
    var glyphs: [[Contour]] = []
    for line in block.lines {
      for run in line.runs {
        for cluster in run.clusters {
          for glyph in cluster.glyphs {
            let key = GlyphKey(face: run.face, glyph: glyph.glyph)
            guard let path = outlines[key] ?? run.face.outline(glyph.glyph) else {
              throw .unsuitable(TextError.outOfMemory.description)
            }
            outlines[key] = path
            if !path.isEmpty {
              glyphs.append(Self.contours(path, of: run, at: Point(line.left + glyph.x, line.baseline - glyph.y)))
            }
          }
        }
      }
    }
    self.glyphs = glyphs
  }

  private struct GlyphKey: Hashable {
    let face: FontFace
    let glyph: UInt16
  }

  /// Returns the contours of a glyph in pixels. If the font has no bold variant, the glyph is emboldened as in
  /// FreeType: strokes become wider by a 24th of the font size, half of it on each side.
  private static func contours(_ path: Path, of run: GlyphRun, at place: Point) -> [Contour] {
    let scale = run.size / Double(run.face.unitsPerEm)
    let map = AffineMap(a: scale, c: run.slant * scale, d: -scale, e: place.x, f: place.y)
    let contours = path.contours(map).withPositiveArea
    guard run.isEmboldened else { return contours }
    return contours + Stroke(width: run.size / 24).outline(of: contours.map(\.closed))
  }

  /// Whether there is nothing to draw: no glyph has an outline, and there is no background.
  var isInvisible: Bool { glyphs.isEmpty && style.background == nil }

  // MARK: Place

  /// The size of the box after the rotation.
  var boxSize: (width: Double, height: Double) {
    let bounds = Bounds(corners(AffineMap.rotating(degrees: style.angle)))
    return (bounds.right - bounds.left, bounds.bottom - bounds.top)
  }

  /// Returns the map from the coordinates of the text to those of a picture. It places the upper left corner of the
  /// rotated text's bounding box at the given position. If the text is not rotated, the first baseline is on a pixel
  /// boundary, which makes letters sharp.
  func map(left: Double, top: Double) -> AffineMap {
    let turn = AffineMap.rotating(degrees: style.angle)
    let bounds = Bounds(corners(turn))
    var (x, y) = (left - bounds.left, top - bounds.top)
    if style.angle == 0 { (x, y) = (x.rounded(), (y + baseline).rounded() - baseline) }
    return turn.then(.moving(x, y))
  }

  /// Returns the region that glyphs, shadow, outline and background may touch.
  func inkRegion(_ map: AffineMap) -> Region {
    var bounds = Bounds(style.background == nil ? [] : corners(map))
    let reach = style.outlineWidth(size)
    for glyph in glyphs { for contour in glyph { for point in contour.points { bounds.add(map(point), reach) } } }
    if style.shadow != nil, !glyphs.isEmpty {
      let offset = style.shadowOffset(size)
      let blur = 3 * style.shadowBlur(size) + 1
      var shadow = bounds
      shadow.move(offset, blur)
      bounds.add(Point(shadow.left, shadow.top), 0)
      bounds.add(Point(shadow.right, shadow.bottom), 0)
    }
    return bounds.region
  }

  func boxRegion(_ map: AffineMap) -> Region { Bounds(corners(map)).region }

  private func corners(_ map: AffineMap) -> [Point] {
    [
      Point(box.left, box.top), Point(box.right, box.top), Point(box.right, box.bottom), Point(box.left, box.bottom),
    ].map { map($0) }
  }

  // MARK: Pixels

  /// Draws the text on a transparent background.
  ///
  /// - Parameter region: the part of the picture to draw; not empty.
  /// - Returns: 8-bit pixels with alpha, gray if all colours are gray.
  func overlay(_ map: AffineMap, region: Region, _ context: OperationContext) throws(PictureError) -> PixelBuffer {
    let format = style.colours.reduce(PixelFormat(.u8, .gray, alpha: true)) { $0.holding($1) }
    let overlay = PixelBuffer(PictureLayout(width: region.width, height: region.height, format: format))
    for y in 0..<region.height {
      overlay.row(y).initializeMemory(as: UInt8.self, repeating: 0, count: overlay.layout.rowByteCount)
    }
    func paint(_ mask: CoverageMask, _ colour: Colour, _ opacity: Double = 1) {
      var painter = CoverageRow(colour, on: format, opacity: opacity)
      mask.forRows(of: region) { coverage, y in painter.apply(coverage, to: overlay.row(y), left: 0) }
    }
    if let background = style.background {
      var mask = CoverageMask(region)
      mask.add([Contour(corners(map), isClosed: true)])
      paint(mask, background)
    }
    if let shadow = style.shadow {
      let blur = style.shadowBlur(size)
      let offset = style.shadowOffset(size)
      var mask = CoverageMask(region.grown(by: Int((3 * blur).rounded(.up)) + 1))
      try add(to: &mask, map.then(.moving(offset, offset)), isOutlined: style.outline != nil, context)
      paint(try mask.blurred(sigma: blur, context), shadow, style.shadowOpacity)
    }
    if let outline = style.outline {
      var mask = CoverageMask(region)
      try add(to: &mask, map, isOutlined: true, context)
      paint(mask, outline)
    }
    var mask = CoverageMask(region)
    try add(to: &mask, map, isOutlined: false, context)
    paint(mask, style.colour)
    return overlay
  }

  private func add(to mask: inout CoverageMask, _ map: AffineMap, isOutlined: Bool, _ context: OperationContext)
    throws(PictureError)
  {
    let pen = Stroke(width: 2 * style.outlineWidth(size), join: .round)
    for glyph in glyphs {
      try context.checkCancellation()
      var contours = glyph.map { Contour($0.points.map { map($0) }, isClosed: true) }
      if isOutlined { contours += pen.outline(of: contours) }
      mask.add(contours)
    }
  }
}

extension Contour {
  fileprivate var closed: Contour { Contour(points, isClosed: true) }
}

/// The axis-aligned bounding box of points.
private struct Bounds {
  var left = Double.infinity
  var top = Double.infinity
  var right = -Double.infinity
  var bottom = -Double.infinity

  init(_ points: [Point]) { for point in points { add(point, 0) } }

  mutating func add(_ point: Point, _ reach: Double) {
    (left, right) = (min(left, point.x - reach), max(right, point.x + reach))
    (top, bottom) = (min(top, point.y - reach), max(bottom, point.y + reach))
  }

  mutating func move(_ offset: Double, _ reach: Double) {
    (left, right) = (left + offset - reach, right + offset + reach)
    (top, bottom) = (top + offset - reach, bottom + offset + reach)
  }

  /// The pixels that the box touches; empty if there are no points.
  var region: Region {
    guard left <= right, top <= bottom else { return Region(left: 0, top: 0, width: 0, height: 0) }
    func whole(_ value: Double) -> Int { Int(min(1e8, max(-1e8, value))) }
    let (x, y) = (whole(left.rounded(.down)), whole(top.rounded(.down)))
    return Region(left: x, top: y, width: whole(right.rounded(.up)) - x, height: whole(bottom.rounded(.up)) - y)
  }
}

extension Region {
  func grown(by distance: Int) -> Region {
    Region(left: left - distance, top: top - distance, width: width + 2 * distance, height: height + 2 * distance)
  }

  /// Returns the part that is inside a picture; nil if there is none.
  func clipped(to layout: PictureLayout) -> Region? {
    let (x, y) = (max(0, left), max(0, top))
    let (width, height) = (min(layout.width, right) - x, min(layout.height, bottom) - y)
    return width > 0 && height > 0 ? Region(left: x, top: y, width: width, height: height) : nil
  }
}
