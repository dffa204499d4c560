import ImageCore

/// The position of a picture's caption.
package enum CaptionPosition: String, Sendable, Hashable, CaseIterable {
  /// Below the picture, in a strip of its own.
  case below
  case above
  /// On the picture, at its lower edge.
  case over
}

/// The position and look of captions.
package struct CaptionOptions: Sendable, Hashable {
  /// The font size in points.
  package var size = 10.0
  package var colour = Colour.black
  package var position = CaptionPosition.below
  /// The colour behind captions that lie on pictures; nil for none.
  package var background: Colour?
  /// Whether captions on pictures have a soft veil behind them instead of a background.
  package var hasScrim = false

  package init() {}

  /// Creates options from arguments that `BookParameters.all` has checked.
  init(_ arguments: Arguments) {
    size = arguments.number("caption_size")
    colour = arguments.colour("caption_colour").onPaper ?? .white
    position = CaptionPosition(rawValue: arguments.text("caption_position"))!
    background = arguments.optionalColour("caption_background")?.visible
    hasScrim = Self.hasScrim(arguments)
  }

  private static func hasScrim(_ arguments: Arguments) -> Bool {
    arguments.text("caption_position") == CaptionPosition.over.rawValue && !arguments.has("caption_background")
  }

  /// Returns default values that depend on other options: captions on pictures without a background are white on a dark
  /// veil.
  package static func defaults(for arguments: Arguments) -> [(name: String, value: ParameterValue)] {
    hasScrim(arguments) ? [("caption_colour", .colour(.white))] : []
  }
}
