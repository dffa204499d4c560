import ImageCore
import PictureTraits

/// The functions that measure pixels, in the order in which the reference lists them.
package enum MeasurementList {
  package static let all: [MeasurementDefinition] = [
    PictureStatistics.definition, DominantColours.definition, PerceptualHash.definition, Placeholder.definition,
    Deskew.definition, Trim.definition,
  ]

  /// Measures the traits of a small version of a picture.
  package static func traits(_ rows: any RowSource, _ context: OperationContext) throws(PictureError) -> PictureTraits {
    try PictureTraits.measure(rows, context)
  }
}
