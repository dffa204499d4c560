import CBenchJPEG

/// The picture that kernels resample: the middle of a photograph, as raw samples.
///
/// Gray is the green band. The fourth band, whether it counts as alpha or not, is the green band upside down:
/// transparency everywhere, of every degree. 16-bit samples are weighted means of 2 x 2 neighbours, so that
/// their low bits say something.
enum KernelInput {
  /// Makes the file if it is not there; gives its path, nil if that failed.
  static func path(_ job: KernelJob, _ bench: Bench) -> String? {
    let name = "kernel-\(job.bands)x\(job.bits)-\(job.width)x\(job.height).raw"
    let path = bench.inputs.folder + "/" + name
    if RawFile.size(path) == job.sourceBytes { return path }
    guard let photo = bench.inputs.richestPhoto else { return nil }
    return Measurement(Subprocess.kernelInput.command([photo, path] + job.arguments)) == nil
      ? nil : path
  }

  /// `PHOTO RESULT JOB…`.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 2, let job = KernelJob(arguments[2...]) else { return 2 }
    var (width, height): (Int32, Int32) = (0, 0)
    guard bench_jpeg_size(arguments[0], &width, &height) == 0, width >= job.width,
      height >= job.height
    else { return 1 }
    var photo = [UInt8](repeating: 0, count: Int(width) * Int(height) * 3)
    guard bench_jpeg_decode(arguments[0], 1, &photo) == 0 else { return 1 }
    let crop = Crop(
      samples: photo, stride: Int(width) * 3, left: (Int(width) - job.width) / 2,
      top: (Int(height) - job.height) / 2, width: job.width, height: job.height)
    var result: [UInt8] = []
    result.reserveCapacity(job.sourceBytes)
    for y in 0..<job.height {
      for x in 0..<job.width {
        for band in 0..<job.bands {
          let isLast = band == 3
          let channel = job.bands == 1 || isLast ? 1 : band
          let row = isLast ? job.height - 1 - y : y
          append(crop, x, row, channel, job, &result)
        }
      }
    }
    return result.withUnsafeBytes {
      RawFile.write($0.baseAddress!, count: $0.count, to: arguments[1]) ? 0 : 1
    }
  }

  private static func append(
    _ crop: Crop, _ x: Int, _ y: Int, _ channel: Int, _ job: KernelJob, _ result: inout [UInt8]
  ) {
    if job.bits == 8 {
      result.append(UInt8(crop[x, y, channel]))
      return
    }
    let sum =
      9 * crop[x, y, channel] + 3 * crop[x + 1, y, channel] + 3 * crop[x, y + 1, channel]
      + crop[x + 1, y + 1, channel]
    let sample = UInt16(sum * 65535 / (16 * 255))
    withUnsafeBytes(of: sample) { result.append(contentsOf: $0) }
  }

  private struct Crop {
    let samples: [UInt8]
    let stride: Int
    let left: Int
    let top: Int
    let width: Int
    let height: Int

    /// A sample, its edge repeated.
    subscript(x: Int, y: Int, channel: Int) -> Int {
      let column = left + min(x, width - 1)
      return Int(samples[(top + min(y, height - 1)) * stride + column * 3 + channel])
    }
  }
}
