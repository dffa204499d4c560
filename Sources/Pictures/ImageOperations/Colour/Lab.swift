import ImageCore
import ImageKernels
import Platform

/// A colour in CIE L\*a\*b\* for the white point D65 (CIE 15:2004, section 8.2.1), in double precision.
///
/// This type is for tables and single colours; `LabTransform` converts rows of pixels.
package struct Lab: Sendable {
  package var lightness: Double
  package var a: Double
  package var b: Double

  init(lightness: Double, a: Double, b: Double) {
    self.lightness = lightness
    self.a = a
    self.b = b
  }

  /// Converts a colour from sRGB.
  init(_ colour: Colour) {
    let red = SRGBTransfer.decode(colour.red)
    let green = SRGBTransfer.decode(colour.green)
    let blue = SRGBTransfer.decode(colour.blue)
    let x = Self.compress((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505)
    let y = Self.compress(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    let z = Self.compress((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089)
    self.init(lightness: 116 * y - 16, a: 500 * (x - y), b: 200 * (y - z))
  }

  /// The colour in sRGB, with components clipped to 0 and 1.
  var colour: Colour {
    let y = (lightness + 16) / 116
    let x = Self.expand(y + a / 500) * 0.9505
    let z = Self.expand(y - b / 200) * 1.089
    let luminance = Self.expand(y)
    func encode(_ light: Double) -> Double { SRGBTransfer.encode(max(0, min(1, light))) }
    // The numbers are the inverse of the matrix of IEC 61966-2-1, at full precision.
    return Colour(
      red: encode(3.2406254773 * x - 1.5372079722 * luminance - 0.4986285987 * z),
      green: encode(-0.9689307147 * x + 1.8757560609 * luminance + 0.0415175238 * z),
      blue: encode(0.0557101204 * x - 0.2040210506 * luminance + 1.0569959423 * z))
  }

  /// Returns L\* of a neutral colour, for gray pictures.
  static func lightness(ofGray value: Double) -> Double { 116 * compress(SRGBTransfer.decode(value)) - 16 }

  static func gray(lightness: Double) -> Double {
    SRGBTransfer.encode(max(0, min(1, expand((lightness + 16) / 116))))
  }

  private static func compress(_ value: Double) -> Double {
    value > 216.0 / 24_389 ? cbrt(value) : value * (841.0 / 108) + 4.0 / 29
  }

  private static func expand(_ value: Double) -> Double {
    value > 6.0 / 29 ? value * value * value : (value - 4.0 / 29) * (108.0 / 841)
  }
}

/// Returns the sine and cosine of an angle, exact at multiples of a right angle.
func sinCos(degrees: Double) -> (sine: Double, cosine: Double) {
  switch degrees.remainder(dividingBy: 360) {
  case 0: return (0, 1)
  case 90: return (1, 0)
  case -90: return (-1, 0)
  case 180, -180: return (0, -1)
  case let angle: return (sin(angle * .pi / 180), cos(angle * .pi / 180))
  }
}

/// Opens rows whose colours are changed in CIE L\*a\*b\*, in place.
enum LabSource {
  /// - Parameters:
  ///   - scale: the factor for L\*, which is from 0 to 100.
  ///   - shift: the number that is then added to L\*.
  ///   - chroma: the factor for the distance from gray.
  ///   - hue: the rotation of the hue in degrees, from red towards yellow.
  static func open(
    _ upstream: any RowSource, _ context: OperationContext, scale: Double, shift: Double, chroma: Double = 1,
    hue: Double = 0
  ) -> any RowSource {
    let format = upstream.layout.format
    if format.model == .gray {
      return SampleTables.open(
        upstream, context,
        colour: [{ Lab.gray(lightness: Lab.lightness(ofGray: $0) * scale + shift) }])
    }
    let (sine, cosine) = sinCos(degrees: hue)
    let change = LabTransform(scale: scale, shift: shift, cosine: cosine * chroma, sine: sine * chroma)
    return PointSource(upstream, context) { row, width in
      ColourKernels.transform(
        row, width: width, sampleBytes: format.sample.byteCount, hasAlpha: format.hasAlpha, by: change)
    }
  }
}
