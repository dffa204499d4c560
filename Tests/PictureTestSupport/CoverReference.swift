import Foundation

/// Resizing by its definition: the whole picture is scaled to cover the size, and the middle is cut out.
public enum CoverReference {
  /// Returns the RGB samples of the result. The scaled size and the offset are rounded half up, as in sharp.
  public static func picture(_ source: Pixels, width: Int, height: Int) -> [Double] {
    let scale = min(
      Double(source.width) / Double(width), Double(source.height) / Double(height))
    let scaledWidth = Int((Double(source.width) / scale + 0.5).rounded(.down))
    let scaledHeight = Int((Double(source.height) / scale + 0.5).rounded(.down))
    let across = weights(source.width, scaledWidth, from: (scaledWidth - width + 1) / 2, count: width)
    let down = weights(source.height, scaledHeight, from: (scaledHeight - height + 1) / 2, count: height)
    let bands = source.bands
    // Down first: a row of the result is a weighted sum of whole rows.
    var result = [Double](repeating: 0, count: width * height * bands)
    var row = [Double](repeating: 0, count: source.width * bands)
    for (y, tap) in down.enumerated() {
      for index in row.indices { row[index] = 0 }
      for (offset, weight) in tap.weights.enumerated() {
        let start = (tap.first + offset) * row.count
        for index in row.indices { row[index] += weight * Double(source.bytes[start + index]) }
      }
      for (x, tap) in across.enumerated() {
        for band in 0..<bands {
          var sum = 0.0
          for (offset, weight) in tap.weights.enumerated() {
            sum += weight * row[(tap.first + offset) * bands + band]
          }
          result[(y * width + x) * bands + band] = min(255, max(0, sum))
        }
      }
    }
    return result
  }

  private struct Tap {
    let first: Int
    let weights: [Double]
  }

  /// Returns the weights of Lanczos 3, stretched by the scale when shrinking. The weights of existing samples have the
  /// sum 1.
  private static func weights(_ source: Int, _ scaled: Int, from: Int, count: Int) -> [Tap] {
    let step = Double(source) / Double(scaled)
    let stretch = max(1, step)
    return (from..<from + count).map { target in
      let centre = (Double(target) + 0.5) * step
      let first = max(0, Int((centre - 3 * stretch).rounded(.down)))
      let last = min(source - 1, Int((centre + 3 * stretch).rounded(.up)))
      let raw = (first...last).map { lanczos((Double($0) + 0.5 - centre) / stretch) }
      let sum = raw.reduce(0, +)
      return Tap(first: first, weights: raw.map { $0 / sum })
    }
  }

  private static func lanczos(_ x: Double) -> Double {
    guard x.magnitude < 3 else { return 0 }
    guard x.magnitude > 1e-12 else { return 1 }
    let t = Double.pi * x
    return sin(t) / t * sin(t / 3) / (t / 3)
  }
}
