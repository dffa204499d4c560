import Platform

extension PictureTraits {
  /// How good the picture is among others of its kind, from 0 to 1.
  ///
  /// The weighted geometric mean of sharpness (0.5), exposure (0.3) and contrast (0.2). A sum would let two good
  /// properties hide a bad one. In a product, a blurred or black picture stays near 0.
  package var score: Double {
    func part(_ value: Double, _ weight: Double) -> Double { pow(min(max(value, 0), 1), weight) }
    return part(sharpness, 0.5) * part(exposure, 0.3) * part(contrast, 0.2)
  }
}
