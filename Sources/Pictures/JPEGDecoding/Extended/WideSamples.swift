/// The samples of one component for three MCU rows, so that upsampling finds the neighbouring rows.
struct WideSamples {
  let component: ExtendedFrame.Component
  private let steps: [UInt16]
  private let stride: Int
  /// The rows of samples in an MCU.
  private let rowCount: Int
  private var samples: [UInt16]

  init(_ component: ExtendedFrame.Component, steps: [UInt16]) {
    self.component = component
    self.steps = steps
    stride = component.blocksAcross * 8
    rowCount = component.verticalSampling * 8
    samples = Array(repeating: 0, count: 3 * rowCount * stride)
  }

  /// Transforms an MCU row, which replaces the one three rows before.
  ///
  /// - Parameter place: the MCU row of its coefficients in the plane.
  mutating func transform(_ mcuRow: Int, _ plane: CoefficientPlane, at place: Int) {
    for y in 0..<component.verticalSampling {
      for x in 0..<component.blocksAcross {
        WideTransform.inverse(
          plane.values, plane.block(x, place * component.verticalSampling + y), steps, &samples,
          first(mcuRow * rowCount + y * 8) + x * 8, stride)
      }
    }
  }

  /// Returns a row upsampled to the picture's pixels, each sample 0 to 4095: libjpeg's `jdsample.c`.
  ///
  /// - Parameter y: the row of pixels.
  func pixels(_ y: Int, width: Int) -> [UInt16] {
    let (across, down) = (component.pixelsAcross, component.pixelsDown)
    let near = y / down
    let isSmooth = across <= 2 && down <= 2 && (across == 1 || component.width > 2)
    guard isSmooth, across * down > 1 else {
      let start = first(near)
      return (0..<width).map { samples[start + $0 / across] }
    }
    guard down == 2 else { return doubled(near) }
    let beside = y % 2 == 0 ? max(near - 1, 0) : min(near + 1, component.height - 1)
    let (a, b) = (first(near), first(beside))
    let sums = (0..<component.width).map { samples[a + $0] * 3 + samples[b + $0] }
    if across == 1 {
      let bias: UInt16 = y % 2 == 0 ? 1 : 2
      return sums.map { ($0 + bias) >> 2 }
    }
    return spread(sums, bias: (8, 7), shift: 4)
  }

  private func doubled(_ y: Int) -> [UInt16] {
    let start = first(y)
    return spread(Array(samples[start..<start + component.width]), bias: (1, 2), shift: 2)
  }

  /// Doubles a row by a triangle filter.
  private func spread(_ row: [UInt16], bias: (left: Int, right: Int), shift: Int) -> [UInt16] {
    var result: [UInt16] = []
    result.reserveCapacity(2 * row.count)
    for x in row.indices {
      let value = 3 * Int(row[x])
      let (before, after) = (Int(row[max(x - 1, 0)]), Int(row[min(x + 1, row.count - 1)]))
      result.append(UInt16((value + before + bias.left) >> shift))
      result.append(UInt16((value + after + bias.right) >> shift))
    }
    return result
  }

  /// Returns the index of a row's first sample.
  private func first(_ y: Int) -> Int { y % (3 * rowCount) * stride }
}
