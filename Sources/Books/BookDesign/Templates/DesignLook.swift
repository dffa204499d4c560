import ImageCore

/// The appearance of a style's pictures and pages. Lengths are shares of the shorter side of a page.
package struct DesignLook: Sendable, Hashable {
  /// The background of pages.
  package enum Background: Sendable, Hashable {
    case colour(Colour)
    /// A muted tint from the colours of each page's pictures.
    case pictures
  }

  /// The radius of the corners of pictures.
  package var corners = 0.0
  /// The width of the border around each picture; 0 for none.
  package var border = 0.0
  package var borderColour: Colour?
  /// The distance by which shadows extend below pictures, and the width of their soft edge; empty for none.
  package var shadow: [Double] = []
  package var shadowColour: Colour?
  /// The background; nil for bare paper.
  package var background: Background?

  package init() {}
}
