/// The zigzag sequence: the order of a block's coefficients in the file (T.81, figure A.6).
enum Zigzag {
  /// For each index of the zigzag sequence, the coefficient's index in row-major order.
  static let order: [Int] = {
    // The sequence runs along diagonals, from the upper left, in alternating directions.
    (0..<15).flatMap { sum in
      let rows = (max(0, sum - 7)...min(sum, 7))
      let diagonal = rows.map { $0 * 8 + sum - $0 }
      return sum % 2 == 0 ? diagonal.reversed() : diagonal
    }
  }()

  /// Creates the table for `BlockState.steps`, which the caller deallocates.
  ///
  /// - Parameter quantisation: 64 elements in row-major order.
  static func steps(_ quantisation: [UInt16]) -> UnsafeMutablePointer<UInt32> {
    let steps = UnsafeMutablePointer<UInt32>.allocate(capacity: 256)
    // Indices beyond the block occur at an end of block (EOB), and in invalid files. They refer to the two bytes after
    // the block.
    steps.initialize(repeating: 128 << 16, count: 256)
    for (index, place) in order.enumerated() {
      steps[index] = UInt32(place * 2) << 16 | UInt32(quantisation[place])
    }
    return steps
  }
}
