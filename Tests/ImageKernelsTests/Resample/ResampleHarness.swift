import ImageKernels

/// A picture for resampling tests, with samples as integers of any size in memory.
struct TestPicture {
  let width: Int
  let height: Int
  let pixels: ResamplePixels
  var samples: [Int]

  var top: Int { pixels.bytesPerSample == 1 ? 255 : 65_535 }

  /// Fills by pixel position and band.
  init(
    _ width: Int, _ height: Int, _ pixels: ResamplePixels, _ value: (Int, Int, Int) -> Int
  ) {
    self.width = width
    self.height = height
    self.pixels = pixels
    samples = []
    for y in 0..<height {
      for x in 0..<width { for band in 0..<pixels.bands { samples.append(value(x, y, band)) } }
    }
  }

  /// The rows as bytes without padding.
  var bytes: [UInt8] {
    pixels.bytesPerSample == 1
      ? samples.map(UInt8.init)
      : samples.flatMap { value in withUnsafeBytes(of: UInt16(value)) { Array($0) } }
  }
}

enum ResampleHarness {
  /// Streams a picture through a resampler in strips and returns its samples.
  static func run(_ plan: ResamplePlan, _ picture: TestPicture, strip: Int = 7, workers: Int = 1) -> [Int] {
    let resampler = StreamingResampler(plan, stripRows: strip, workers: workers)
    let source = picture.bytes
    let rowBytes = picture.width * picture.pixels.bands * picture.pixels.bytesPerSample
    let geometry = plan.geometry
    let stride =
      geometry.targetWidth * picture.pixels.bands * picture.pixels.bytesPerSample
    var output = [UInt8](repeating: 0xa5, count: stride * geometry.targetHeight)
    output.withUnsafeMutableBytes { output in
      source.withUnsafeBytes { source in
        var y = 0
        while y < geometry.targetHeight {
          let rows = y..<min(y + strip, geometry.targetHeight)
          let needed = resampler.sourceRows(of: rows)
          repeat {
            let (address, count) = resampler.freeRows(until: needed.upperBound)
            for row in 0..<max(0, count) {
              (address + row * resampler.rowStride).copyMemory(
                from: source.baseAddress! + (resampler.nextRow + row) * rowBytes,
                byteCount: rowBytes)
            }
            resampler.advance(by: max(0, count))
            let waiting = resampler.rowsToFilter(for: rows)
            for index in 0..<waiting { resampler.filterRows(index..<index + 1, worker: index % workers) }
          } while resampler.nextRow < needed.upperBound
          let middle = rows.lowerBound + rows.count / workers
          if workers > 1 {
            resampler.render(
              rows.lowerBound..<middle, into: output.baseAddress! + y * stride, stride: stride,
              worker: 0)
            resampler.render(
              middle..<rows.upperBound, into: output.baseAddress! + middle * stride,
              stride: stride, worker: 1)
          } else {
            resampler.render(rows, into: output.baseAddress! + y * stride, stride: stride, worker: 0)
          }
          y = rows.upperBound
        }
      }
    }
    if picture.pixels.bytesPerSample == 1 { return output.map(Int.init) }
    return (0..<output.count / 2).map { index in
      output.withUnsafeBytes { Int($0.load(fromByteOffset: 2 * index, as: UInt16.self)) }
    }
  }

  /// Resamples 8-bit samples directly from their memory, in one strip, the last `rows` target rows first.
  static func runBackwards(_ plan: ResamplePlan, _ picture: TestPicture, rows: Int) -> [Int] {
    let (width, height) = (plan.geometry.targetWidth, plan.geometry.targetHeight)
    let stride = width * picture.pixels.bands
    let frame = picture.bytes + [UInt8](repeating: 0xff, count: StreamingResampler.slack)
    var output = [UInt8](repeating: 0xa5, count: stride * height)
    frame.withUnsafeBytes { frame in
      output.withUnsafeMutableBytes { output in
        let resampler = StreamingResampler(
          plan, frame: frame.baseAddress!, stride: picture.width * picture.pixels.bands, stripRows: height, workers: 1)
        resampler.advance(by: picture.height)
        resampler.filterRows(0..<resampler.rowsToFilter(for: 0..<height), worker: 0)
        for first in Swift.stride(from: 0, to: height, by: rows).reversed() {
          resampler.render(
            first..<min(first + rows, height), into: output.baseAddress! + first * stride,
            stride: stride, worker: 0)
        }
      }
    }
    return output.map(Int.init)
  }

  /// Resamples a picture in strips, directly from its memory, and checks that nothing is written after its rows.
  static func runFrame(_ plan: ResamplePlan, _ picture: TestPicture, strip: Int) -> [Int] {
    let pixelSize = picture.pixels.bands * picture.pixels.bytesPerSample
    let frame = picture.bytes + [UInt8](repeating: 0xff, count: StreamingResampler.slack)
    let (width, height) = (plan.geometry.targetWidth, plan.geometry.targetHeight)
    let stride = width * pixelSize
    let guardBytes = 64
    var output = [UInt8](repeating: 0xa5, count: stride * height + guardBytes)
    frame.withUnsafeBytes { frame in
      output.withUnsafeMutableBytes { output in
        let resampler = StreamingResampler(
          plan, frame: frame.baseAddress!, stride: picture.width * pixelSize, stripRows: strip, workers: 1)
        for y in Swift.stride(from: 0, to: height, by: strip) {
          let rows = y..<min(y + strip, height)
          resampler.advance(by: max(0, resampler.sourceRows(of: rows).upperBound - resampler.nextRow))
          resampler.filterRows(0..<resampler.rowsToFilter(for: rows), worker: 0)
          resampler.render(rows, into: output.baseAddress! + y * stride, stride: stride, worker: 0)
        }
      }
    }
    precondition(output.suffix(guardBytes).allSatisfy { $0 == 0xa5 }, "written past the end")
    let samples = output.dropLast(guardBytes)
    if picture.pixels.bytesPerSample == 1 { return samples.map(Int.init) }
    return (0..<samples.count / 2).map { Int(samples[2 * $0]) | Int(samples[2 * $0 + 1]) << 8 }
  }

  /// Returns the largest difference between two lists of samples.
  static func difference(_ a: [Int], _ b: [Int]) -> Int {
    a.count == b.count ? zip(a, b).reduce(0) { max($0, abs($1.0 - $1.1)) } : .max
  }
}
