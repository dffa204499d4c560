import ImageCore
import ImageOperations

extension PictureStatistics {
  /// What `picture:stats()` returns: lists with a number a band, alpha last, and `is_opaque`.
  var fields: [(String, ParameterValue)] {
    [
      ("minimum", .list(bands.map { .integer($0.minimum) })),
      ("maximum", .list(bands.map { .integer($0.maximum) })),
      ("mean", .list(bands.map { .number($0.mean) })),
      ("deviation", .list(bands.map { .number($0.standardDeviation) })),
      ("entropy", .list(bands.map { .number($0.entropy) })),
      ("histogram", .list(bands.map { .list($0.histogram.map { .integer($0) }) })),
      ("is_opaque", .boolean(isOpaque)),
    ]
  }
}
