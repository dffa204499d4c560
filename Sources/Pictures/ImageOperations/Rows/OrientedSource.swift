import ImageCore
import ImageKernels

/// Rows of a picture that is rotated or mirrored to make it upright, according to an EXIF orientation.
///
/// Upright and horizontally mirrored pictures stream. For all other orientations, the whole frame is read first,
/// because the first upright row is the last stored row or a stored column.
final class OrientedSource: RowSource {
  let layout: PictureLayout
  private let upstream: any RowSource
  private let orientation: Orientation
  private let context: OperationContext
  private var frame: PixelBuffer?
  private var next = 0

  static func open(_ upstream: any RowSource, _ orientation: Orientation, _ context: OperationContext) -> any RowSource
  {
    let pixelBytes = upstream.layout.format.bytesPerPixel
    return switch orientation {
    case .upright: upstream
    case .mirrored:
      PointSource(upstream, context) { row, width in
        PixelMoves.reverse(row, width: width, pixelBytes: pixelBytes)
      }
    default: OrientedSource(upstream, orientation, context)
    }
  }

  private init(
    _ upstream: any RowSource, _ orientation: Orientation, _ context: OperationContext
  ) {
    self.layout = orientation.upright(upstream.layout)
    self.upstream = upstream
    self.orientation = orientation
    self.context = context
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    try context.checkCancellation()
    let frame: PixelBuffer
    if let whole = self.frame {
      frame = whole
    } else {
      frame = try upstream.readAll(context)
      self.frame = frame
    }
    gather(frame, count, SharedRows(base: destination, stride: stride))
    next += count
    // The frame is most of the memory that the task uses, so it is freed after the last row.
    if next == layout.height { self.frame = nil }
  }

  /// Divides the rows among the workers in groups: when columns become rows, neighbouring rows read the same cache
  /// lines.
  private func gather(_ frame: PixelBuffer, _ count: Int, _ target: SharedRows) {
    let pixelBytes = layout.format.bytesPerPixel
    let steps = orientation.steps(
      in: frame.layout, pixelBytes: pixelBytes, rowBytes: frame.stride)
    let groupRows = 32
    let groups = (count + groupRows - 1) / groupRows
    context.forRows(groups, rowByteCount: groupRows * layout.rowByteCount) { [layout, next] group in
      let first = group * groupRows
      PixelMoves.gather(
        from: PixelSteps(
          first: frame.base + steps.origin + (next + first) * steps.row, column: steps.column,
          row: steps.row),
        to: target.row(first), stride: target.stride, width: layout.width,
        height: min(groupRows, count - first), pixelBytes: pixelBytes)
    }
  }
}

extension Orientation {
  /// Whether the whole stored picture must be read before the first upright row is available.
  var needsFrame: Bool { self != .upright && self != .mirrored }

  /// Returns where the upper left pixel of the upright picture is stored, as a byte offset, and the distances in bytes
  /// to its right and lower neighbours in the upright picture.
  ///
  /// By Exif 2.32, table 6, the tag tells to which sides of the upright picture row 0 and column 0 of the stored
  /// picture belong.
  fileprivate func steps(in stored: PictureLayout, pixelBytes: Int, rowBytes: Int)
    -> (origin: Int, column: Int, row: Int)
  {
    let right = (stored.width - 1) * pixelBytes
    let bottom = (stored.height - 1) * rowBytes
    return switch self {
    case .upright: (0, pixelBytes, rowBytes)
    case .mirrored: (right, -pixelBytes, rowBytes)
    case .rotated180: (bottom + right, -pixelBytes, -rowBytes)
    case .flipped: (bottom, pixelBytes, -rowBytes)
    case .transposed: (0, rowBytes, pixelBytes)
    case .rotated90: (bottom, -rowBytes, pixelBytes)
    case .transversed: (bottom + right, -rowBytes, -pixelBytes)
    case .rotated270: (right, rowBytes, -pixelBytes)
    }
  }
}
