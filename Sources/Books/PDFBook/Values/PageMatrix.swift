import ImageCore

/// The six numbers of a PDF transformation (PDF 32000-1:2008, 8.3.3): x' = ax + cy + e, y' = bx + dy + f.
public struct PageMatrix: Sendable, Hashable {
  public let a, b, c, d, e, f: Double

  public init(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double) {
    (self.a, self.b, self.c, self.d, self.e, self.f) = (a, b, c, d, e, f)
  }

  /// The matrix that lays a stored picture upright into a rectangle.
  ///
  /// PDF draws pictures in the unit square with the first row at the top (8.9.5.1); the rectangle is that
  /// of the picture as seen, after turning.
  public init(placing orientation: Orientation, in box: PageRectangle) {
    let (x, y, w, h) = (box.left, box.bottom, box.width, box.height)
    switch orientation {
    case .upright: self.init(w, 0, 0, h, x, y)
    case .mirrored: self.init(-w, 0, 0, h, x + w, y)
    case .rotated180: self.init(-w, 0, 0, -h, x + w, y + h)
    case .flipped: self.init(w, 0, 0, -h, x, y + h)
    case .transposed: self.init(0, -h, -w, 0, x + w, y + h)
    case .rotated90: self.init(0, -h, w, 0, x, y + h)
    case .transversed: self.init(0, h, w, 0, x, y)
    case .rotated270: self.init(0, h, -w, 0, x + w, y)
    }
  }

  /// As it stands before `cm`, lengths divided by the page's unit.
  func text(unit: Double) -> String {
    PDFNumber.text([a / unit, b / unit, c / unit, d / unit, e / unit, f / unit])
  }
}
