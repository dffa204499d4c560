import Dispatch
import ImageCore

@testable import ImageOperations

/// Returns arguments checked by the descriptor of an operation.
func resampleArguments<Operation: DescribedOperation>(
  _ type: Operation.Type, _ positional: [ParameterValue] = [], _ named: [(name: String, value: ParameterValue)] = []
) throws -> Arguments {
  try Arguments(RawArguments(positional: positional, named: named), for: Operation.descriptor)
}

/// Returns a picture of deterministic noise on a gradient, with alpha in soft stripes.
func resamplePicture(_ width: Int, _ height: Int, _ format: PixelFormat) -> PixelBuffer {
  let buffer = PixelBuffer(PictureLayout(width: width, height: height, format: format))
  var state: UInt32 = 7
  for y in 0..<height {
    for x in 0..<width {
      for band in 0..<format.bands {
        state = state &* 1_664_525 &+ 1_013_904_223
        var value = (x * 2 + y * 3 + band * 50 + Int(state >> 27)) % 256
        if format.hasAlpha, band == format.bands - 1 { value = min(255, y / 7 % 3 * 130) }
        if format.sample == .u16 { value = value * 257 }
        RowSamples.store(value, buffer.row(y), x * format.bands + band, format.sample)
      }
    }
  }
  return buffer
}

/// Returns all samples of a picture, read in strips of `strip` rows.
func resampledSamples(of source: any RowSource, strip: Int = 16) throws -> [Int] {
  let layout = source.layout
  let stride = layout.rowByteCount
  let rows = UnsafeMutableRawPointer.allocate(byteCount: strip * stride, alignment: 64)
  defer { rows.deallocate() }
  var result: [Int] = []
  var y = 0
  while y < layout.height {
    let count = min(strip, layout.height - y)
    try source.read(count, into: rows, stride: stride)
    for row in 0..<count {
      for index in 0..<layout.width * layout.bands {
        result.append(RowSamples.load(rows + row * stride, index, layout.format.sample))
      }
    }
    y += count
  }
  return result
}

extension PictureOperation {
  /// Applies an operation to a picture, and returns the samples of the result.
  func resample(_ picture: PixelBuffer, strip: Int = 16, context: OperationContext = .serial) throws -> [Int] {
    let source = try open(
      [BufferSource(picture)], nominal: [picture.layout], context: context)
    let expected = try outputLayout(of: [picture.layout])
    precondition(source.layout == expected, "open and outputLayout disagree")
    return try resampledSamples(of: source, strip: strip)
  }
}

extension OperationContext {
  /// A context that runs parallel work on one thread in reverse order, because any order must work.
  static let backwards = OperationContext(
    parallelism: 3, parallelFor: { count, body in for index in (0..<count).reversed() { body(index) } },
    isCancelled: { false })

  /// A context that runs parallel work on several threads.
  static let threads = OperationContext(
    parallelism: 4,
    parallelFor: { count, body in
      DispatchQueue.concurrentPerform(iterations: count, execute: body)
    },
    isCancelled: { false })
}
