import ImageCore
import Platform

/// Colour conversions in double precision, written from the standards and independent of the code under test.
enum ReferenceColour {
  /// IEC 61966-2-1.
  static func decode(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  static func encode(_ light: Double) -> Double {
    let light = max(0, min(1, light))
    return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  static func luminance(_ rgb: [Double]) -> Double {
    encode(0.2126 * decode(rgb[0]) + 0.7152 * decode(rgb[1]) + 0.0722 * decode(rgb[2]))
  }

  /// L\*, a\* and b\* (CIE 15:2004, 8.2.1), white D65 at (0.9505, 1, 1.089).
  static func lab(_ rgb: [Double]) -> [Double] {
    let light = rgb.map(decode)
    let x = (0.4124 * light[0] + 0.3576 * light[1] + 0.1805 * light[2]) / 0.9505
    let y = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
    let z = (0.0193 * light[0] + 0.1192 * light[1] + 0.9505 * light[2]) / 1.089
    func f(_ t: Double) -> Double {
      t > pow(6.0 / 29, 3) ? pow(t, 1.0 / 3) : t * pow(29.0 / 6, 2) / 3 + 4.0 / 29
    }
    return [116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))]
  }

  /// Returns the sRGB values of L\*a\*b\*, clamped to 0 and 1.
  static func rgb(_ lab: [Double]) -> [Double] {
    func inverse(_ t: Double) -> Double { t > 6.0 / 29 ? pow(t, 3) : 3 * pow(6.0 / 29, 2) * (t - 4.0 / 29) }
    let middle = (lab[0] + 16) / 116
    let xyz = [0.9505 * inverse(middle + lab[1] / 500), inverse(middle), 1.089 * inverse(middle - lab[2] / 200)]
    return solve(xyz).map(encode)
  }

  /// Returns the linear sRGB values of XYZ, by Cramer's rule.
  private static func solve(_ xyz: [Double]) -> [Double] {
    let m = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    func determinant(_ m: [[Double]]) -> Double {
      m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
        - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    }
    return (0..<3).map { column in
      var replaced = m
      for row in 0..<3 { replaced[row][column] = xyz[row] }
      return determinant(replaced) / determinant(m)
    }
  }
}

extension Picture {
  /// Returns the colours of each pixel after `change`, on the scale of the samples. `change` gets three colours for
  /// gray pictures, too. Alpha follows unchanged.
  func mapColours(_ change: ([Double]) -> [Double]) -> [Double] {
    var result: [Double] = []
    for y in 0..<height {
      for x in 0..<width {
        let pixel = fractions(x, y)
        let isGray = layout.format.model == .gray
        result += change(isGray ? [pixel[0], pixel[0], pixel[0]] : Array(pixel.prefix(3))).map { $0 * Double(top) }
        if layout.format.hasAlpha { result.append(pixel[bands - 1] * Double(top)) }
      }
    }
    return result
  }
}
