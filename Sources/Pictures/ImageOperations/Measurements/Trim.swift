import ImageCore

/// `trim{ threshold, background, line_art }`: finds the rectangle inside a border of one colour, as `vips_find_trim`
/// does. `crop` then cuts the picture to this rectangle.
///
/// A pixel belongs to the picture if at least one of its bands differs from the background by more than the threshold.
/// Differences of colours are weighted by alpha, and alpha is compared like another band. Before that, a 3x3 median
/// removes noise, unless `line_art` is set. A picture that consists only of background is not cut.
enum Trim {
  static let definition = MeasurementDefinition(
    OperationDescriptor(
      name: "trim", family: "script", summary: "Cut off a border of one colour",
      parameters: [
        ParameterDescriptor(
          "threshold", .number(0...255), default: .number(10),
          help: "largest difference from the background, on a scale of 0 to 255"),
        ParameterDescriptor(
          "background", .colour, help: "colour of the border; by default that of the pixel at the top left"),
        ParameterDescriptor(
          "line_art", .boolean, default: .boolean(false),
          help: "whether thin lines and single pixels count; otherwise they are noise"),
      ], positional: 1),
    gives: .operation("crop")
  ) { source, arguments, profile, context throws(PictureError) in
    let format = source.layout.format
    let background = try arguments.optionalColour("background")?.matching(profile(), context)
    let region = try region(
      of: source, background: background?.samples(in: format),
      threshold: Int(arguments.number("threshold") * Double(format.sample.maximum) / 255),
      ignoresNoise: !arguments.boolean("line_art"), context)
    return .fields([
      "left": .integer(region.left), "top": .integer(region.top), "width": .integer(region.width),
      "height": .integer(region.height),
    ])
  }

  /// Returns the smallest region that contains every pixel that differs from the background; the whole picture if there
  /// is no such pixel.
  ///
  /// - Parameters:
  ///   - background: samples in the picture's format; nil to use those of the first pixel.
  ///   - threshold: the largest difference of samples that still counts as background.
  static func region(
    of source: any RowSource, background: [Int]?, threshold: Int, ignoresNoise: Bool, _ context: OperationContext
  ) throws(PictureError) -> Region {
    let layout = source.layout
    let rows: any RowSource =
      ignoresNoise ? try Median(size: 3).open([source], nominal: [layout], context: context) : source
    let reader = StripReader(rows, context)
    var border = Border(layout.format, background, threshold)
    var (left, right, top, bottom) = (layout.width, 0, layout.height, 0)
    for y in 0..<layout.height {
      let row = try reader.row(y)
      border.takeFirstPixel(row)
      guard let first = (0..<layout.width).first(where: { border.isUnlike(row, $0) }) else { continue }
      let last = (first..<layout.width).last { border.isUnlike(row, $0) } ?? first
      (left, right) = (min(left, first), max(right, last + 1))
      (top, bottom) = (min(top, y), y + 1)
    }
    guard bottom > 0 else { return Region(left: 0, top: 0, width: layout.width, height: layout.height) }
    return Region(left: left, top: top, width: right - left, height: bottom - top)
  }

  /// The colour of a border, and the largest difference from it that a pixel of the border may have.
  private struct Border {
    private let format: PixelFormat
    private let threshold: Int
    private var samples: [Int]?

    init(_ format: PixelFormat, _ samples: [Int]?, _ threshold: Int) {
      self.format = format
      self.samples = samples
      self.threshold = threshold
    }

    /// Sets the border's colour to that of the first pixel, unless a colour is given.
    mutating func takeFirstPixel(_ row: UnsafeRawPointer) {
      guard samples == nil else { return }
      samples = (0..<format.bands).map { RowSamples.load(row, $0, format.sample) }
    }

    @inline(__always)
    func isUnlike(_ row: UnsafeRawPointer, _ x: Int) -> Bool {
      guard let samples else { return false }
      let bands = format.bands
      guard format.hasAlpha else {
        return (0..<bands).contains {
          abs(RowSamples.load(row, x * bands + $0, format.sample) - samples[$0]) > threshold
        }
      }
      let alpha = RowSamples.load(row, x * bands + bands - 1, format.sample)
      if abs(alpha - samples[bands - 1]) > threshold { return true }
      return (0..<bands - 1).contains { band in
        let difference = abs(RowSamples.load(row, x * bands + band, format.sample) - samples[band])
        return difference * alpha > threshold * format.sample.maximum
      }
    }
  }
}
