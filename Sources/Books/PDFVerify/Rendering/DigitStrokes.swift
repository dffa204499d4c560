import CPoppler

/// Digits drawn as strokes, so that page numbers need no font.
enum DigitStrokes {
  private enum Step {
    case move(Double, Double)
    case line(Double, Double)
    case curve(Double, Double, Double, Double, Double, Double)
  }

  /// The advance of a digit, in heights.
  private static let advance = 0.74

  /// How wide a number is.
  static func width(of number: Int, height: Double) -> Double {
    (Double(String(number).count) * advance - (advance - 0.56)) * height
  }

  /// Strokes a number with the colour that is set, its upper left corner at a point.
  static func draw(_ number: Int, on context: OpaquePointer, x: Double, y: Double, height: Double) {
    cairo_save(context)
    defer { cairo_restore(context) }
    cairo_translate(context, x, y)
    cairo_scale(context, height, height)
    cairo_set_line_width(context, 0.13)
    cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
    for digit in String(number).utf8 {
      for step in shapes[Int(digit) - 0x30] {
        switch step {
        case .move(let x, let y): cairo_move_to(context, x, y)
        case .line(let x, let y): cairo_line_to(context, x, y)
        case .curve(let a, let b, let c, let d, let e, let f):
          cairo_curve_to(context, a, b, c, d, e, f)
        }
      }
      cairo_stroke(context)
      cairo_translate(context, advance, 0)
    }
  }

  /// In a box 0.56 wide and 1 high, downwards.
  private static let shapes: [[Step]] = [
    [.move(0.28, 0), .curve(0.62, 0, 0.62, 1, 0.28, 1), .curve(-0.06, 1, -0.06, 0, 0.28, 0)],
    [.move(0.1, 0.22), .line(0.32, 0), .line(0.32, 1)],
    [
      .move(0.04, 0.27), .curve(0.04, -0.09, 0.52, -0.09, 0.52, 0.27),
      .curve(0.52, 0.52, 0.2, 0.7, 0.04, 1), .line(0.54, 1),
    ],
    [
      .move(0.05, 0.1), .curve(0.22, -0.07, 0.5, -0.02, 0.5, 0.25),
      .curve(0.5, 0.45, 0.32, 0.48, 0.2, 0.48), .curve(0.36, 0.48, 0.54, 0.54, 0.54, 0.74),
      .curve(0.54, 1.06, 0.18, 1.08, 0.03, 0.9),
    ],
    [.move(0.42, 1), .line(0.42, 0), .line(0.02, 0.7), .line(0.56, 0.7)],
    [
      .move(0.49, 0), .line(0.12, 0), .line(0.08, 0.45),
      .curve(0.2, 0.34, 0.54, 0.34, 0.54, 0.68), .curve(0.54, 1.06, 0.16, 1.08, 0.03, 0.9),
    ],
    [
      .move(0.46, 0.02), .curve(0.12, 0.1, 0.04, 0.45, 0.05, 0.68),
      .curve(0.05, 1.11, 0.54, 1.11, 0.54, 0.68), .curve(0.54, 0.3, 0.05, 0.3, 0.05, 0.68),
    ],
    [.move(0.03, 0), .line(0.54, 0), .curve(0.36, 0.3, 0.22, 0.62, 0.2, 1)],
    [
      .move(0.28, 0.46), .curve(-0.02, 0.46, -0.02, 0, 0.28, 0),
      .curve(0.58, 0, 0.58, 0.46, 0.28, 0.46), .curve(-0.08, 0.46, -0.08, 1, 0.28, 1),
      .curve(0.64, 1, 0.64, 0.46, 0.28, 0.46),
    ],
    [
      .move(0.1, 0.98), .curve(0.44, 0.9, 0.52, 0.55, 0.51, 0.32),
      .curve(0.51, -0.11, 0.02, -0.11, 0.02, 0.32), .curve(0.02, 0.7, 0.51, 0.7, 0.51, 0.32),
    ],
  ]
}
