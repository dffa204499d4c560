import Foundation
import ImageCore

/// Sums of linear light in double precision, after IEC 61966-2-1.
enum ReferenceLight {
  static func decode(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  static func encode(_ light: Double) -> Double {
    let light = max(0, min(1, light))
    return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  /// Filters rows and columns of light, weighted by alpha, and encodes the result.
  ///
  /// - Parameter filter: a linear filter of a plane.
  /// - Returns: samples by row, pixel and band. Colours are nil where alpha is below `leastAlpha`.
  static func filter(_ picture: Picture, leastAlpha: Double = 0, _ filter: ([[Double]]) -> [[Double]]) -> [Double?] {
    let (top, bands) = (Double(picture.top), picture.bands)
    let hasAlpha = picture.layout.format.hasAlpha
    let colours = hasAlpha ? bands - 1 : bands
    func alpha(_ x: Int, _ y: Int) -> Double { hasAlpha ? Double(picture[x, y, bands - 1]) / top : 1 }
    let alphas = filter(picture.plane(alpha))
    let planes = (0..<colours).map { band in
      filter(picture.plane { decode(Double(picture[$0, $1, band]) / top) * alpha($0, $1) })
    }
    var samples: [Double?] = []
    for y in alphas.indices {
      for x in alphas[y].indices {
        let alpha = hasAlpha ? alphas[y][x] : 1
        for plane in planes {
          samples.append(alpha < max(leastAlpha, 1 / top) ? nil : encode(plane[y][x] / alpha) * top)
        }
        if hasAlpha { samples.append(max(0, min(1, alpha)) * top) }
      }
    }
    return samples
  }

  /// Resizes a plane by Lanczos 3 as libvips and Pillow do: weights of the samples inside the picture, with a sum of 1.
  static func resize(_ plane: [[Double]], width: Int, height: Int) -> [[Double]] {
    let across = plane.map { lanczos3($0, count: width) }
    let columns = (0..<width).map { x in lanczos3(across.map { $0[x] }, count: height) }
    return (0..<height).map { y in columns.map { $0[y] } }
  }

  private static func lanczos3(_ samples: [Double], count: Int) -> [Double] {
    let scale = Double(samples.count) / Double(count)
    let stretch = max(1, scale)
    func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
    return (0..<count).map { target in
      let centre = (Double(target) + 0.5) * scale
      var (sum, weights) = (0.0, 0.0)
      for index in samples.indices {
        let distance = (Double(index) + 0.5 - centre) / stretch
        guard abs(distance) < 3 else { continue }
        let weight = sinc(distance) * sinc(distance / 3)
        sum += samples[index] * weight
        weights += weight
      }
      return sum / weights
    }
  }
}
