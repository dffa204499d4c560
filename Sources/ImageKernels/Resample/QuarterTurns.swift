/// Turns by multiples of 90 degrees: pixels move, none changes.
public enum QuarterTurns {
  /// Copies target rows `rows` of a picture turned clockwise.
  ///
  /// - Parameters:
  ///   - turns: 1, 2 or 3 quarters.
  ///   - source: the whole picture, `width` x `height` pixels of `pixelSize` bytes (1, 2, 3, 4, 6 or 8),
  ///     rows `sourceStride` bytes apart.
  ///   - target: where the first of `rows` goes; its rows are `targetStride` bytes apart.
  public static func copy(
    _ turns: Int, _ source: UnsafeRawPointer, sourceStride: Int, width: Int, height: Int,
    pixelSize: Int, rows: Range<Int>, to target: UnsafeMutableRawPointer, targetStride: Int
  ) {
    let turn = Turn(
      source: source, sourceStride: sourceStride, width: width, height: height, quarters: turns,
      target: target, targetStride: targetStride)
    switch pixelSize {
    case 1: move(UInt8.self, turn, rows)
    case 2: move(UInt16.self, turn, rows)
    case 3: move(Three<UInt8>.self, turn, rows)
    case 4: move(UInt32.self, turn, rows)
    case 6: move(Three<UInt16>.self, turn, rows)
    case 8: move(UInt64.self, turn, rows)
    default: preconditionFailure("no pixel has \(pixelSize) bytes")
    }
  }

  private struct Three<Sample: BitwiseCopyable>: BitwiseCopyable {
    let samples: (Sample, Sample, Sample)
  }

  private struct Turn {
    let source: UnsafeRawPointer
    let sourceStride: Int
    let width: Int
    let height: Int
    let quarters: Int
    let target: UnsafeMutableRawPointer
    let targetStride: Int

    /// Bytes to the source pixel of target column 0 of a row, and from each column's to the next.
    @inline(__always)
    func path(_ row: Int, _ size: Int) -> (start: Int, step: Int) {
      switch quarters {
      case 1: ((height - 1) * sourceStride + row * size, -sourceStride)
      case 2: ((height - 1 - row) * sourceStride + (width - 1) * size, -size)
      default: ((width - 1 - row) * size, sourceStride)
      }
    }
  }

  @inline(__always)
  private static func move<Pixel: BitwiseCopyable>(
    _ type: Pixel.Type, _ turn: Turn, _ rows: Range<Int>
  ) {
    let size = MemoryLayout<Pixel>.size
    let count = turn.quarters == 2 ? turn.width : turn.height
    // Tiles of 32 columns: the source rows they come from stay in the first-level cache. Half a turn
    // reads along rows and needs none.
    let tile = turn.quarters == 2 ? count : 32
    for first in stride(from: 0, to: count, by: tile) {
      let columns = first..<min(first + tile, count)
      for row in rows {
        let path = turn.path(row, size)
        let target = turn.target + (row - rows.lowerBound) * turn.targetStride
        for x in columns {
          let pixel = (turn.source + path.start + x * path.step).loadUnaligned(as: Pixel.self)
          target.storeBytes(of: pixel, toByteOffset: x * size, as: Pixel.self)
        }
      }
    }
  }
}
