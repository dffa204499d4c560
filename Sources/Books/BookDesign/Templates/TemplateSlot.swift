import PictureTraits

/// A place for one picture in a template.
package struct TemplateSlot: Sendable, Hashable {
  /// The place at rest, in shares of the template's area.
  package var rectangle: UnitRectangle
  /// The shapes that it takes: width divided by height of the part of a picture that is shown.
  package var shape: ClosedRange<Double>
  /// The importance among the slots of the template: the largest one gets the best picture.
  package var weight: Double
  /// The largest share of a picture's area that may be cut off.
  package var crop: Double
  /// The place of the picture's caption, in shares of the template's area; nil for below or above the picture.
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

  /// From a tower to a panorama: what remains of other pictures' shapes is left blank or cut off.
  package static let anyShape = 0.2...5.0
  /// Nobody notices the loss of a tenth.
  package static let usualCrop = 0.1
}
