import CPluginABI

/// A row of samples of any type.
struct SampleRow {
  private let row: UnsafeRawPointer
  private let type: UInt32

  /// Creates a view of row `y`, which must be in memory from the picture's left edge on. The sample there has index 0.
  init(_ picture: imghost_picture, y: Int) {
    row = picture.pixels + (y - Int(picture.valid.top)) * picture.stride
    type = picture.sample
  }

  /// Returns samples as numbers from 0 to 1.
  func numbers(from start: Int, count: Int) -> [Float] {
    [Float](unsafeUninitializedCapacity: count) { target, filled in
      switch type {
      case IMGHOST_SAMPLE_U8:
        let samples = row.assumingMemoryBound(to: UInt8.self) + start
        for i in 0..<count { target[i] = Float(samples[i]) / 255 }
      case IMGHOST_SAMPLE_U16:
        let samples = row.assumingMemoryBound(to: UInt16.self) + start
        for i in 0..<count { target[i] = Float(samples[i]) / 65_535 }
      default:
        let samples = row.assumingMemoryBound(to: Float.self) + start
        for i in 0..<count { target[i] = samples[i] }
      }
      filled = count
    }
  }

  /// Stores a number from 0 to 1. Only for rows of the output.
  func store(_ value: Float, at index: Int) {
    let row = UnsafeMutableRawPointer(mutating: row)
    switch type {
    case IMGHOST_SAMPLE_U8:
      row.assumingMemoryBound(to: UInt8.self)[index] = UInt8(max(0, min(1, value)) * 255 + 0.5)
    case IMGHOST_SAMPLE_U16:
      row.assumingMemoryBound(to: UInt16.self)[index] = UInt16(
        max(0, min(1, value)) * 65_535 + 0.5)
    default: row.assumingMemoryBound(to: Float.self)[index] = value
    }
  }

  /// Copies samples from the same position in another row with the same type. Only for rows of the output.
  func copy(from other: SampleRow, at index: Int, count: Int) {
    let size = type == IMGHOST_SAMPLE_U8 ? 1 : type == IMGHOST_SAMPLE_U16 ? 2 : 4
    UnsafeMutableRawPointer(mutating: row + index * size)
      .copyMemory(from: other.row + index * size, byteCount: count * size)
  }
}
