import ImageCore

extension PictureStatistics {
  static let definition = MeasurementDefinition(
    OperationDescriptor(
      name: "stats", family: "script",
      summary: "Compute numbers about all pixels: mean, deviation, minimum, maximum, entropy, histogram"),
    gives: .table("imghost.Stats")
  ) { source, _, _, context throws(PictureError) in
    .fields(try PictureStatistics.compute(source, context).fields(source.layout.format))
  }

  /// The result of `picture:stats()`: lists with one number for each band, alpha last, and `is_opaque`.
  ///
  /// Sample values are on the scale of 0 to 255 at any depth, as in every option of an operation.
  ///
  /// - Parameter format: the picture's format.
  func fields(_ format: PixelFormat) -> [String: ParameterValue] {
    let scale = 255 / Double(format.sample.maximum)
    func list(_ value: (BandStatistics) -> Double) -> ParameterValue { .list(bands.map { .number(value($0)) }) }
    return [
      "minimum": list { Double($0.minimum) * scale },
      "maximum": list { Double($0.maximum) * scale },
      "mean": list { $0.mean * scale },
      "deviation": list { $0.standardDeviation * scale },
      "entropy": list(\.entropy),
      "histogram": .list(bands.map { .list($0.histogram.map { .integer($0) }) }),
      "is_opaque": .boolean(isOpaque),
    ]
  }
}
