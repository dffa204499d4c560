import PictureTraits

/// A place for one picture in a template.
package struct TemplateSlot: Sendable, Hashable {
  /// The place before it adapts to its picture, in shares of the template's area.
  package var rectangle: UnitRectangle
  /// The accepted shapes: the width divided by the height of the visible part of a picture.
  package var shape: ClosedRange<Double>
  /// The importance among the slots of the template: the best picture goes to the slot with the highest weight.
  package var weight: Double
  /// The largest share of a picture's area that may be cut off.
  package var crop: Double
  /// The place of the picture's caption, in shares of the template's area; nil if it is below or above the picture.
  package var text: UnitRectangle?

  package init(
    _ rectangle: UnitRectangle, shape: ClosedRange<Double> = TemplateSlot.anyShape, weight: Double = 1,
    crop: Double = TemplateSlot.usualCrop
  ) {
    self.rectangle = rectangle
    self.shape = shape
    self.weight = weight
    self.crop = crop
  }

  /// Shapes from a tower to a panorama; more extreme pictures leave blank space or are cut.
  package static let anyShape = 0.2...5.0
  /// The default crop: readers do not notice the loss of a tenth.
  package static let usualCrop = 0.1
}
