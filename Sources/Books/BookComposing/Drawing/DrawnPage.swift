import ImagePipeline

/// A page that can be drawn.
package struct DrawnPage: Sendable {
  /// A picture on the page, as the book stores it.
  package struct Cell: Sendable {
    package let picture: Picture
    /// The number of pixels of the picture per point of the page.
    package let density: Double
  }

  /// The side of a spread on which a page lies.
  package enum Side: String, Sendable { case left, right, single }

  /// The size in points.
  package let width: Double
  package let height: Double
  package let side: Side
  package let pictures: [Cell]
  /// The texts and options on which the page depends besides its pictures. Pages with equal pictures look alike if
  /// their identities are equal.
  package let identity: String

  /// Returns the page with its pictures replaced. The new pictures must have the same sizes.
  package func map(_ picture: (Picture) -> Picture) -> DrawnPage {
    DrawnPage(
      width: width, height: height, side: side,
      pictures: pictures.map { Cell(picture: picture($0.picture), density: $0.density) }, identity: identity)
  }
}
