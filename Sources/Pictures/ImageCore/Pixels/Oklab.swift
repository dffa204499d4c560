import Platform

/// Oklab, a colour space in which equal distances look equal (B. Ottosson, https://bottosson.github.io/posts/oklab/).
package enum Oklab {
  /// Returns lightness, a and b of a colour in sRGB.
  package static func place(of colour: SIMD3<Double>) -> SIMD3<Double> {
    let light = map(colour) { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
    let cones = SIMD3(
      0.4122214708 * light.x + 0.5363325363 * light.y + 0.0514459929 * light.z,
      0.2119034982 * light.x + 0.6806995451 * light.y + 0.1073969566 * light.z,
      0.0883024619 * light.x + 0.2817188376 * light.y + 0.6299787005 * light.z)
    let roots = map(cones) { cbrt($0) }
    return SIMD3(
      0.2104542553 * roots.x + 0.7936177850 * roots.y - 0.0040720468 * roots.z,
      1.9779984951 * roots.x - 2.4285922050 * roots.y + 0.4505937099 * roots.z,
      0.0259040371 * roots.x + 0.7827717662 * roots.y - 0.8086757660 * roots.z)
  }

  /// Returns the sRGB colour at a position, rounded to 8-bit levels. Colours outside the gamut are clipped.
  package static func colour(at place: SIMD3<Double>) -> Colour {
    let roots = SIMD3(
      place.x + 0.3963377774 * place.y + 0.2158037573 * place.z,
      place.x - 0.1055613458 * place.y - 0.0638541728 * place.z,
      place.x - 0.0894841775 * place.y - 1.2914855480 * place.z)
    let cones = roots * roots * roots
    let light = SIMD3(
      4.0767416621 * cones.x - 3.3077115913 * cones.y + 0.2309699292 * cones.z,
      -1.2684380046 * cones.x + 2.6097574011 * cones.y - 0.3413193965 * cones.z,
      -0.0041960863 * cones.x - 0.7034186147 * cones.y + 1.7076147010 * cones.z)
    let samples = map(light) { $0 <= 0.0031308 ? $0 * 12.92 : 1.055 * pow($0, 1 / 2.4) - 0.055 }
    let levels = map(samples) { (min(max($0, 0), 1) * 255).rounded() / 255 }
    return Colour(red: levels.x, green: levels.y, blue: levels.z)
  }

  private static func map(_ colour: SIMD3<Double>, _ body: (Double) -> Double) -> SIMD3<Double> {
    SIMD3(body(colour.x), body(colour.y), body(colour.z))
  }
}
