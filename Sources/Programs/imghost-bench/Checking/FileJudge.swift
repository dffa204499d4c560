import ImageCodecs
import ImageCore
import Platform

/// Compares JPEG files with a resampling of the whole photograph in 64-bit floating point, and with each other. The
/// comparison runs in separate processes, because the measuring process must stay small; see `Measurement.peakBytes`.
enum FileJudge {
  /// The interval between judged photographs. Most are skipped, because judging one takes half a second.
  static let step = 4

  /// Returns the mean peak signal-to-noise ratio of the pictures of imghost and of a peer. The files of both have the
  /// same names as the photographs.
  static func judge(_ photos: [String], ours: String, peers: String?, size: (Int, Int), _ bench: Bench)
    throws(BenchFailure) -> (ours: Double, peer: Double?)
  {
    var sums = [0.0, 0.0]
    let chosen = stride(from: 0, to: photos.count, by: step).map { photos[$0] }
    for photo in chosen {
      let name = photo.split(separator: "/").last ?? ""
      let results = [ours, peers].compactMap { $0 }.map { "\($0)/\(name)" }
      for (index, value) in try judge(photo, results, size, bench).enumerated() { sums[index] += value }
    }
    let means = sums.map { $0 / Double(chosen.count) }
    return (means[0], peers == nil ? nil : means[1])
  }

  /// Returns the peak signal-to-noise ratios of several results of one photograph. All results must have the given
  /// size.
  static func judge(_ photo: String, _ results: [String], _ size: (Int, Int), _ bench: Bench)
    throws(BenchFailure) -> [Double]
  {
    let arguments = [String(size.0), String(size.1), photo] + results
    let values = try numbers(.fileJudge, arguments, bench)
    guard values.count == results.count else { throw .wrongResult(results.joined(separator: ", ")) }
    return values
  }

  /// Returns the peak signal-to-noise ratio between two JPEGs, each the only one in its folder.
  static func agreement(_ one: String, _ other: String, _ bench: Bench) throws(BenchFailure) -> Double {
    let files = [one, other].map { Folder.files($0, suffix: ".jpg") }
    guard files.allSatisfy({ $0.count == 1 }) else { throw .wrongResult("no picture in \(other)") }
    let values = try numbers(.agreement, files.flatMap { $0 }, bench)
    guard let value = values.first else { throw .wrongResult("sizes differ in \(other)") }
    return value
  }

  private static func numbers(_ part: Subprocess, _ arguments: [String], _ bench: Bench)
    throws(BenchFailure) -> [Double]
  {
    let output = bench.scratch.path + "/judge.txt"
    // libjpeg decodes the files, so that imghost's output is not judged by its own decoder.
    let run = Measurement(part.command(arguments), environment: ["IMGHOST_JPEG": "libjpeg"], output: output)
    guard run != nil, let text = TextFile.read(output) else { throw .wrongResult(arguments.joined(separator: " ")) }
    return text.split(separator: "\n").compactMap { Double($0) }
  }

  /// Runs the subprocess with the arguments `WIDTH HEIGHT PHOTO RESULT…`.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 3, let width = Int(arguments[0]), let height = Int(arguments[1]),
      let photo = DecodedJPEG(arguments[2])
    else { return 2 }
    let reference = ReferenceResampling(photo, width: width, height: height)
    let results = arguments[3...].compactMap { DecodedJPEG($0) }
    guard results.count == arguments.count - 3, results.allSatisfy({ $0.width == width && $0.height == height })
    else { return 1 }
    var errors = results.map { _ in ErrorSum() }
    for y in 0..<height {
      let row = reference.row(y)
      for (index, result) in results.enumerated() {
        errors[index].add(result.samples[y * width * 3..<(y + 1) * width * 3], against: row)
      }
    }
    for error in errors { print(error.decibels) }
    return 0
  }

  /// Runs the subprocess with the arguments `ONE OTHER`.
  static func runAgreement(_ arguments: [String]) -> Int32 {
    let pictures = arguments.compactMap { DecodedJPEG($0) }
    guard pictures.count == 2, pictures[0].width == pictures[1].width, pictures[0].height == pictures[1].height
    else { return 1 }
    var errors = ErrorSum()
    errors.add(pictures[0].samples[...], against: pictures[1].samples.map(Double.init))
    print(errors.decibels)
    return 0
  }
}

/// The sum of squared differences from a reference.
private struct ErrorSum {
  private var squares = 0.0
  private var count = 0

  mutating func add(_ samples: ArraySlice<UInt8>, against reference: [Double]) {
    for (sample, meant) in zip(samples, reference) { squares += (Double(sample) - meant) * (Double(sample) - meant) }
    count += reference.count
  }

  /// The peak signal-to-noise ratio in dB; 999 if there are no differences.
  var decibels: Double { squares == 0 ? 999 : 10 * log10(255 * 255 * Double(count) / squares) }
}

/// The pixels of a JPEG file in RGB, even if the file is gray.
struct DecodedJPEG {
  let width: Int
  let height: Int
  let samples: [UInt8]

  /// Decodes a file; nil if it cannot be decoded, or is neither gray nor RGB.
  init?(_ path: String) {
    let codec = JPEGCodec()
    guard let file = try? InputFile(path: path), let header = try? codec.readHeader(file),
      let source = try? codec.makeDecoder(file, header: header, options: DecodeOptions())
    else { return nil }
    let layout = source.layout
    var samples = [UInt8](repeating: 0, count: layout.byteCount)
    let isRead: Void? = samples.withUnsafeMutableBytes {
      try? source.read(layout.height, into: $0.baseAddress!, stride: layout.rowByteCount)
    }
    guard isRead != nil, [.gray8, .rgb8].contains(layout.format) else { return nil }
    (width, height) = (layout.width, layout.height)
    self.samples = layout.format == .rgb8 ? samples : samples.flatMap { [$0, $0, $0] }
  }
}

/// A plain resampling of RGB with Lanczos 3 in 64-bit floating point, independent of `ImageKernels`. Thumbnails and
/// pages are compared with it.
///
/// Each target pixel is the weighted mean of the source pixels under the kernel. To shrink a picture, the kernel is
/// stretched. Rows are computed one by one, and nothing is rounded.
private struct ReferenceResampling {
  private let targetWidth: Int
  private let vertical: [Weights]
  /// The source's rows at the target's width.
  private let rows: [Double]

  private struct Weights {
    let first: Int
    let values: [Double]
  }

  init(_ source: DecodedJPEG, width: Int, height: Int) {
    targetWidth = width
    vertical = Self.weights(from: source.height, to: height)
    let horizontal = Self.weights(from: source.width, to: width)
    rows = [Double](unsafeUninitializedCapacity: width * 3 * source.height) { rows, count in
      for y in 0..<source.height {
        let row = source.samples[y * source.width * 3..<(y + 1) * source.width * 3]
        for (x, weights) in horizontal.enumerated() {
          for band in 0..<3 {
            var (sum, index) = (0.0, row.startIndex + weights.first * 3 + band)
            for weight in weights.values {
              sum += weight * Double(row[index])
              index += 3
            }
            rows[(y * width + x) * 3 + band] = sum
          }
        }
      }
      count = width * 3 * source.height
    }
  }

  /// Returns a row of the target, with samples from 0 to 255.
  func row(_ y: Int) -> [Double] {
    let samples = targetWidth * 3
    var result = [Double](repeating: 0, count: samples)
    rows.withUnsafeBufferPointer { rows in
      for (k, weight) in vertical[y].values.enumerated() {
        let base = (vertical[y].first + k) * samples
        for i in 0..<samples { result[i] += weight * rows[base + i] }
      }
    }
    return result.map { min(max($0, 0), 255) }
  }

  private static func weights(from source: Int, to target: Int) -> [Weights] {
    let step = Double(source) / Double(target)
    let stretch = max(1, step)
    return (0..<target).map { index in
      let centre = (Double(index) + 0.5) * step
      let first = max(0, Int((centre - 3 * stretch - 0.5).rounded(.up)))
      let last = min(source - 1, Int((centre + 3 * stretch - 0.5).rounded(.down)))
      let values = (first...last).map { lanczos(((Double($0) + 0.5 - centre) / stretch).magnitude) }
      let sum = values.reduce(0, +)
      return Weights(first: first, values: values.map { $0 / sum })
    }
  }

  /// The Lanczos 3 kernel. Duchon, "Lanczos Filtering in One and Two Dimensions", 1979.
  private static func lanczos(_ x: Double) -> Double {
    if x == 0 { return 1 }
    return x >= 3 ? 0 : 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
  }
}
