import ImageCore

/// A page with no content except one picture, which fills it in any orientation. In books of unchanged pictures, most
/// pages are like this, and their expectation takes one line.
struct FullPage: Sendable, Hashable {
  let orientation: Orientation
  /// The width in points.
  let width: Double
  let height: Double

  /// Creates a page from the matrix of its picture; nil if the picture does not fill the page.
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

  /// Creates a page that has the size of its picture at a resolution.
  ///
  /// - Parameters:
  ///   - across: the width in stored pixels.
  ///   - down: the height in stored pixels.
  ///   - dpi: pixels per inch in both directions.
  init(_ orientation: Orientation, across: Int, down: Int, dpi: Double) {
    func side(_ pixels: Int) -> Double { Points.rounded(LengthText.pageSide(Double(pixels) * 72 / dpi)) }
    let isTurned = orientation.swapsSides
    self.init(orientation, width: side(isTurned ? down : across), height: side(isTurned ? across : down))
  }

  /// Returns the resolution at which the page has the size of a picture, in pixels per inch, as a whole number or in
  /// hundredths; nil if there is no such resolution.
  func dpi(across: Int, down: Int) -> Double? {
    let dpi = Double(orientation.swapsSides ? down : across) * 72 / width
    guard dpi >= 1, dpi < 100_000 else { return nil }
    func fits(_ dpi: Double) -> Bool { FullPage(orientation, across: across, down: down, dpi: dpi) == self }
    let (whole, hundredths) = (dpi.rounded(), (dpi * 100).rounded() / 100)
    return fits(whole) ? whole : fits(hundredths) ? hundredths : nil
  }

  /// Appends the page's line up to, but not including, the numbers of pixels.
  func appendStart(across: Int, down: Int, to text: inout UTF8Text) {
    let dpi = dpi(across: across, down: down)
    text.append(dpi == nil ? "full " : "native ")
    text.append(orientation.rawValue)
    text.append(" ")
    Points.append(dpi ?? width, to: &text)
    guard dpi == nil else { return }
    text.append(" ")
    Points.append(height, to: &text)
  }

  var matrix: AffineMatrix {
    AffineMatrix(orientation, left: 0, bottom: 0, width: width, height: height).rounded
  }

  /// The digest of the content stream that the PDF writer uses to draw the picture.
  var content: ShortDigest {
    let m = matrix
    let numbers = [m.a, m.b, m.c, m.d, m.e, m.f].map(Points.text).joined(separator: " ")
    return ShortDigest(SHA256.digest(of: Array("\(numbers) cm/P Do".utf8)))
  }
}

/// A cache of the last full page and the digest of its content, because most books have few page sizes.
struct KnownFullPage: Sendable {
  private var last: (page: FullPage, content: ShortDigest)?

  /// Returns the page if its only picture fills it, and its content is `FullPage.content`; otherwise nil.
  mutating func page(of expected: PageExpectation) -> FullPage? {
    guard let content = expected.content, expected.pictures.count == 1,
      let page = FullPage(expected.pictures[0].matrix, width: expected.width, height: expected.height)
    else { return nil }
    if last?.page != page { last = (page, page.content) }
    return last?.content == content ? page : nil
  }
}
