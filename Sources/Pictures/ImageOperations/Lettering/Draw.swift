import ImageCore
import VectorShapes

/// Draws anti-aliased lines, boxes, ellipses and polygons.
///
/// Coordinates are in pixels from the picture's upper left corner: pixel (0, 0) covers the square from (0, 0) to (1,
/// 1). Lines are centred on their coordinates. All shapes of a call are filled as one area and stroked as one area, so
/// overlaps are painted once. The operation streams, and changes only rows that the shapes touch. Colours are sRGB, and
/// are converted to the picture's colour space.
package struct Draw: DescribedOperation, ProfiledOperation {
  private let fill: PaintedContours?
  private let stroke: PaintedContours?
  private let opacity: Double
  package var profiles: (@Sendable (Int) -> [UInt8])?

  private static let maximumNumbers = 2_000

  package static let descriptor = OperationDescriptor(
    name: "draw", family: "arithmetic", summary: "Draw lines, boxes, circles and polygons",
    parameters: [
      .init(
        "line", .numbers(4...maximumNumbers), unit: "px",
        help: "x and y of two or more points: { 10, 10, 200, 50 } or { { 10, 10 }, { 200, 50 } }",
        synonyms: ["lines", "polyline", "path"]),
      .init(
        "box", .numbers(4...4), unit: "px", help: "left, top, width and height", synonyms: ["rectangle", "rect"]),
      .init("circle", .numbers(3...3), unit: "px", help: "x and y of the centre, and the radius"),
      .init("ellipse", .numbers(4...4), unit: "px", help: "x and y of the centre, and the radii across and down"),
      .init("polygon", .numbers(6...maximumNumbers), unit: "px", help: "x and y of three or more corners"),
      .init(
        "colour", .colour, help: "colour of the lines; by default black, or none with 'fill'",
        synonyms: ["color", "stroke"]),
      .init(
        "width", .number(0.1...10_000), default: .number(2), unit: "px", help: "width of the lines",
        synonyms: ["thickness", "stroke_width", "line_width"]),
      .init(
        "fill", .colour, help: "colour inside the shapes, but not of a line; by default none", synonyms: ["background"]),
      .init("radius", .number(0...100_000), default: .number(0), unit: "px", help: "radius of a box's corners"),
      .init("opacity", .number(0...1), default: .number(1), help: "factor for the alpha of the colours"),
    ])

  package init(_ arguments: Arguments) throws(OperationError) {
    let names = ["line", "box", "circle", "ellipse", "polygon"]
    guard names.contains(where: arguments.has) else {
      throw .unsuitable("nothing to draw; give \(names.map { "'\($0)'" }.joined(separator: ", ")) or several of them")
    }
    let shapes = try Self.areas(arguments)
    let fillColour = arguments.optionalColour("fill")
    let colour = arguments.optionalColour("colour") ?? (fillColour == nil ? .black : nil)
    fill = fillColour.map { PaintedContours(shapes, $0) }
    var lines = shapes
    if arguments.has("line") {
      lines += Path.lines(Self.points(arguments.numbers("line"))).contours()
      guard colour != nil else { throw .unsuitable("a line has no inside to fill; give its 'colour'") }
    }
    let pen = Stroke(width: arguments.number("width"))
    stroke = colour.map { PaintedContours(pen.outline(of: lines), $0) }
    opacity = arguments.number("opacity")
  }

  private static func points(_ numbers: [Double]) -> [Point] {
    stride(from: 0, to: numbers.count - 1, by: 2).map { Point(numbers[$0], numbers[$0 + 1]) }
  }

  /// Returns the contours of all shapes except the line, which cannot be filled.
  private static func areas(_ arguments: Arguments) throws(OperationError) -> [Contour] {
    for name in ["line", "polygon"] where arguments.has(name) && arguments.numbers(name).count % 2 != 0 {
      throw .unsuitable("'\(name)' needs an x and a y for each point")
    }
    func numbers(_ name: String) -> [Double]? { arguments.has(name) ? arguments.numbers(name) : nil }
    var paths: [Path] = []
    if let box = numbers("box") {
      guard box[2] >= 0, box[3] >= 0 else { throw .unsuitable("'box' has a negative width or height") }
      paths.append(
        .box(left: box[0], top: box[1], width: box[2], height: box[3], radius: arguments.number("radius")))
    }
    if let circle = numbers("circle") {
      guard circle[2] >= 0 else { throw .unsuitable("'circle' has a negative radius") }
      paths.append(.ellipse(centre: Point(circle[0], circle[1]), radius: Point(circle[2], circle[2])))
    }
    if let ellipse = numbers("ellipse") {
      guard ellipse[2] >= 0, ellipse[3] >= 0 else { throw .unsuitable("'ellipse' has a negative radius") }
      paths.append(.ellipse(centre: Point(ellipse[0], ellipse[1]), radius: Point(ellipse[2], ellipse[3])))
    }
    if let polygon = numbers("polygon") { paths.append(.polygon(points(polygon))) }
    return paths.flatMap { $0.contours().withPositiveArea }
  }

  package func outputLayout(of inputs: [PictureLayout]) throws(OperationError) -> PictureLayout {
    inputs[0].with(format: format(of: inputs[0]))
  }

  package func workingByteCount(for inputs: [PictureLayout]) -> Int {
    let edges = [fill, stroke].reduce(0) { $0 + ($1?.contours.reduce(0) { $0 + $1.points.count } ?? 0) }
    return edges * 128 + inputs[0].height * 8 + inputs[0].with(format: format(of: inputs[0])).rowByteCount * 128
  }

  package func open(
    _ inputs: [any RowSource], nominal: [PictureLayout], context: OperationContext
  ) throws(PictureError) -> any RowSource {
    let input = inputs[0].layout
    let source = try rows(inputs[0], in: format(of: input), context)
    var layers: [PaintedSource.Layer] = []
    for area in [fill, stroke].compactMap(\.self) {
      let colour = try matched(area.colour, context)
      layers.append(PaintedSource.Layer(raster: ShapeRaster(area.contours, rows: 0..<input.height), colour: colour))
    }
    return PaintedSource(source, layers, opacity: opacity, context)
  }

  private func format(of input: PictureLayout) -> PixelFormat {
    [fill, stroke].compactMap { $0?.colour }.reduce(input.format) { $0.holding($1) }
  }
}

private struct PaintedContours: Sendable {
  let contours: [Contour]
  let colour: Colour

  init(_ contours: [Contour], _ colour: Colour) { (self.contours, self.colour) = (contours, colour) }
}

final class PaintedSource: RowSource {
  struct Layer: Sendable {
    let raster: ShapeRaster
    let colour: Colour
  }

  let layout: PictureLayout
  private let source: any RowSource
  private let layers: [Layer]
  private let opacity: Double
  private let context: OperationContext
  private var next = 0

  /// - Parameter layers: the shapes and their colours, in the order in which they are painted.
  init(_ source: any RowSource, _ layers: [Layer], opacity: Double, _ context: OperationContext) {
    layout = source.layout
    self.source = source
    self.layers = layers
    self.opacity = opacity
    self.context = context
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    try context.checkCancellation()
    try source.read(count, into: destination, stride: stride)
    let rows = SharedRows(base: destination, stride: stride)
    if layers.contains(where: { $0.raster.rows.overlaps(next..<next + count) }) {
      context.forRows(count, rowByteCount: layout.rowByteCount) { [layers, layout, opacity, next] y in
        for layer in layers { Self.paint(layer, layout, opacity, next + y, rows.row(y)) }
      }
    }
    next += count
  }

  private static func paint(
    _ layer: Layer, _ layout: PictureLayout, _ opacity: Double, _ y: Int, _ row: UnsafeMutableRawPointer
  ) {
    let columns = layer.raster.columns.clamped(to: 0..<layout.width)
    guard layer.raster.rows.contains(y), !columns.isEmpty else { return }
    var scratch = ShapeRaster.Scratch()
    withUnsafeTemporaryAllocation(of: Float.self, capacity: columns.count) { coverage in
      coverage.initialize(repeating: 0)
      guard layer.raster.read(y, columns: columns, into: coverage.baseAddress!, &scratch) else { return }
      var painter = CoverageRow(layer.colour, on: layout.format, opacity: opacity)
      painter.apply(UnsafeBufferPointer(coverage), to: row, left: columns.lowerBound)
    }
  }
}
