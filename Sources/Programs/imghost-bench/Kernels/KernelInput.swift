/// The picture that kernels resample: the middle of a photograph, as raw samples.
///
/// Gray is the green band. The fourth band, whether it counts as alpha or not, is the green band upside down:
/// transparency everywhere, of every degree. 16-bit samples are weighted means of 2 x 2 neighbours, so that
/// their low bits say something.
enum KernelInput {
  /// Makes the file if it is not there; gives its path.
  static func path(_ job: KernelJob, _ bench: Bench) throws(BenchFailure) -> String {
    let name = "kernel-\(job.bands)x\(job.bits)-\(job.width)x\(job.height).raw"
    let path = bench.inputs.folder + "/" + name
    if RawFile.size(path) == job.sourceBytes { return path }
    let photo = Inputs.richest(try bench.inputs.neededPhotos())
    guard Measurement(Subprocess.kernelInput.command([photo, path] + job.arguments)) != nil else {
      throw .noInput(job.title)
    }
    return path
  }

  /// `PHOTO RESULT JOB…`.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 2, let job = KernelJob(arguments[2...]) else { return 2 }
    guard let photo = DecodedJPEG(arguments[0]), photo.width >= job.width, photo.height >= job.height
    else { return 1 }
    let crop = Crop(
      samples: photo.samples, stride: photo.width * 3, left: (photo.width - job.width) / 2,
      top: (photo.height - job.height) / 2, width: job.width, height: job.height)
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
