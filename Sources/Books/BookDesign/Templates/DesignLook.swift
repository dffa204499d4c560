import ImageCore

/// The finish of a style's pictures and pages. Lengths are shares of the shorter side of a page.
public struct DesignLook: Sendable, Hashable {
  /// The ground of pages.
  public enum Background: Sendable, Hashable {
    case colour(Colour)
    /// A calm tint of the colours of each page's pictures.
    case pictures
  }

  /// The radius of the corners of pictures.
  public var corners = 0.0
  /// The width of the border around each picture; 0 for none.
  public var border = 0.0
  public var borderColour: Colour?
  /// How far shadows fall below pictures, and the width of their soft edge; empty for none.
  public var shadow: [Double] = []
  public var shadowColour: Colour?
  /// Nil for bare paper.
  public var background: Background?

  public init() {}
}
