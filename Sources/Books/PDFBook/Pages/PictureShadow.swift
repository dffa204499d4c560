import ImageCore
import Platform

/// The shadow of a picture on its page. Lengths are in points.
package struct PictureShadow: Sendable, Hashable {
  /// The distance of the shadow below the picture.
  package var down: Double
  /// The width of the soft edge: twice the standard deviation of the blur, as in CSS.
  package var blur: Double
  package var colour: Colour

  /// The default colour: translucent black.
  package static let usualColour = Colour(red: 0, green: 0, blue: 0, alpha: 0.35)

  package init(down: Double, blur: Double, colour: Colour = Self.usualColour) {
    (self.down, self.blur, self.colour) = (down, blur, colour)
  }

  /// Creates a shadow from one length, the blur, or from two, the distance and the blur; nil if all are 0. The default
  /// distance is a third of the blur.
  init?(_ lengths: [Double], colour: Colour) {
    guard lengths.contains(where: { $0 > 0 }), let blur = lengths.last else { return nil }
    self.init(down: lengths.count > 1 ? lengths[0] : blur / 3, blur: blur, colour: colour)
  }

  /// Returns the shape of the shadow, to be painted behind the picture; nil for none.
  ///
  /// - Parameters:
  ///   - picture: the picture's area including its border.
  ///   - area: the part of the sheet that may be painted.
  ///   - page: the colour of the page if transparency is forbidden. The shadow then has one opaque colour and a hard
  ///     edge. Nil for a soft shadow.
  func shape(behind picture: RoundedRectangle, within area: PageRectangle, opaqueOn page: Colour?) -> PageShape? {
    guard colour.alpha > 0 else { return nil }
    var moved = picture
    moved.box = picture.box.offset(0, -down)
    let clip = RoundedRectangle(area)
    if let page {
      // With a hard edge, the full colour would be too heavy.
      var light = colour
      light.alpha *= 0.6
      guard down > 0, let colour = light.over(page) else { return nil }
      return .layers([moved], colour, within: clip)
    }
    guard blur > 0 else { return .layers([moved], colour, within: clip) }
    let layers = SoftLayers(whole: colour.alpha)
    let shapes = layers.shares.compactMap { share -> RoundedRectangle? in
      // The inverse of the logistic curve, which differs from the integral of the normal distribution by less than a
      // hundredth (Bowling et al., JIEM 2009, 2(1), 114-127).
      let distance = blur / 2 * log((1 - share) / share) / 1.702
      let box = moved.box.grown(distance)
      guard box.width > 0, box.height > 0 else { return nil }
      let radius = moved.radii.max() + distance
      return RoundedRectangle(box, radius: max(radius, blur * Self.roundness + distance))
    }
    return .layers(
      shapes, Colour(red: colour.red, green: colour.green, blue: colour.blue, alpha: layers.opacity), within: clip)
  }

  /// The corner radius of the contour along which a blurred rectangle has half its opacity, as a multiple of the blur.
  private static let roundness = 0.5
}
