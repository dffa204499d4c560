import ImageCore

/// The functions that measure pixels, in the order of the reference.
package enum MeasurementList {
  package static let all: [MeasurementDefinition] = [
    PictureStatistics.definition, DominantColours.definition, PerceptualHash.definition, Placeholder.definition,
    Deskew.definition, Trim.definition,
  ]
}
