import ImageCore

/// A page that one picture fills, turned by right angles, and on which nothing else is drawn: most of the pages of
/// books that pictures go into as they are. One line says all of it.
struct FullPage: Sendable, Hashable {
  let orientation: Orientation
  /// Points.
  let width: Double
  let height: Double

  /// Nil where a picture lies in any other way.
  init?(_ matrix: AffineMatrix, width: Double, height: Double) {
    guard let orientation = matrix.orientation else { return nil }
    self.init(orientation, width: width, height: height)
    guard self.matrix == matrix else { return nil }
  }

  init(_ orientation: Orientation, width: Double, height: Double) {
    self.orientation = orientation
    self.width = width
    self.height = height
  }

  /// One as large as its picture is at a resolution.
  ///
  /// - Parameters:
  ///   - across: stored pixels.
  ///   - down: stored pixels.
  ///   - dpi: pixels an inch, both ways.
  init(_ orientation: Orientation, across: Int, down: Int, dpi: Double) {
    let sides = [across, down].map {
      Points.rounded(LengthText.pageSide(Double($0) * 72 / dpi))
    }
    let isTurned = orientation.swapsSides
    self.init(orientation, width: sides[isTurned ? 1 : 0], height: sides[isTurned ? 0 : 1])
  }

  /// A whole number of pixels an inch at which a picture is as large, or hundredths; nil for none.
  func dpi(across: Int, down: Int) -> Double? {
    let dpi = Double(orientation.swapsSides ? down : across) * 72 / width
    guard dpi >= 1, dpi < 100_000 else { return nil }
    return [dpi.rounded(), (dpi * 100).rounded() / 100].first {
      FullPage(orientation, across: across, down: down, dpi: $0) == self
    }
  }

  /// Of its line: all before the pixels of its picture.
  func start(across: Int, down: Int) -> String {
    if let dpi = dpi(across: across, down: down) {
      return "native \(orientation.rawValue) \(Points.text(dpi))"
    }
    return "full \(orientation.rawValue) \(Points.text(width)) \(Points.text(height))"
  }

  var matrix: AffineMatrix {
    AffineMatrix(orientation, left: 0, bottom: 0, width: width, height: height).rounded
  }

  /// Of the page's content: what the PDF writer draws such a picture by.
  var content: ShortDigest {
    let m = matrix
    let numbers = [m.a, m.b, m.c, m.d, m.e, m.f].map(Points.text).joined(separator: " ")
    return ShortDigest(SHA256.digest(of: Array("\(numbers) cm/P Do".utf8)))
  }
}

/// The last page's: of books most are of few sizes.
struct KnownFullPage: Sendable {
  private var last: (page: FullPage, content: ShortDigest)?

  /// The page where one line says all of it, its content included.
  mutating func page(of expected: PageExpectation) -> FullPage? {
    guard let content = expected.content, expected.pictures.count == 1,
      let page = FullPage(
        expected.pictures[0].matrix, width: expected.width, height: expected.height)
    else { return nil }
    if last?.page != page { last = (page, page.content) }
    return last?.content == content ? page : nil
  }
}
