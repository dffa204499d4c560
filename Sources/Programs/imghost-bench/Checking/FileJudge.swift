import BenchReport
import CBenchJPEG

/// Compares JPEG files with what 64-bit floating point makes of the whole photograph, and with each other.
/// In processes of its own: pictures are not for the one that measures.
enum FileJudge {
  /// One of this many photographs is judged, because each takes half a second.
  static let step = 4

  /// The mean of the pictures' ratios, for ours and a peer's, in files named as the photographs.
  static func judge(_ photos: [String], ours: String, peers: String?, size: (Int, Int), _ bench: Bench)
    throws(BenchFailure) -> (ours: Quality, peer: Quality?)
  {
    var sums = [0.0, 0.0]
    let chosen = stride(from: 0, to: photos.count, by: step).map { photos[$0] }
    for photo in chosen {
      let name = photo.split(separator: "/").last ?? ""
      let results = [ours, peers].compactMap { $0 }.map { "\($0)/\(name)" }
      for (index, value) in try judge(photo, results, size, bench).enumerated() { sums[index] += value }
    }
    let means = sums.map { Quality(largestError: nil, decibels: $0 / Double(chosen.count)) }
    return (means[0], peers == nil ? nil : means[1])
  }

  /// Peak signal to noise of some results of one photograph, which must have this size.
  static func judge(_ photo: String, _ results: [String], _ size: (Int, Int), _ bench: Bench)
    throws(BenchFailure) -> [Double]
  {
    let arguments = [String(size.0), String(size.1), photo] + results
    let values = try numbers(.fileJudge, arguments, bench)
    guard values.count == results.count else { throw .wrongResult(results.joined(separator: ", ")) }
    return values
  }

  /// Peak signal to noise of the only JPEGs of two folders, against each other.
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
    guard Measurement(part.command(arguments), output: output) != nil, let text = TextFile.read(output)
    else { throw .wrongResult(arguments.joined(separator: " ")) }
    return text.split(separator: "\n").compactMap { Double($0) }
  }

  /// `WIDTH HEIGHT PHOTO RESULT…`.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 3, let width = Int(arguments[0]), let height = Int(arguments[1]),
      let photo = DecodedJPEG(arguments[2])
    else { return 2 }
    let job = KernelJob(photo.width, photo.height, bands: 3, to: (width, height))
    let reference = photo.samples.withUnsafeBytes {
      ReferenceResampling(job, source: $0.baseAddress!)
    }
    let results = arguments[3...].compactMap { DecodedJPEG($0) }
    guard results.count == arguments.count - 3, results.allSatisfy({ $0.width == width && $0.height == height })
    else { return 1 }
    var errors = results.map { _ in ErrorSum() }
    var row: [Double] = []
    for y in 0..<height {
      reference.row(y, into: &row)
      for (index, result) in results.enumerated() {
        result.samples.withUnsafeBytes {
          errors[index].add(row, $0.baseAddress! + y * width * 3, 0..<width, job)
        }
      }
    }
    for error in errors { print(error.decibels(largest: 255)) }
    return 0
  }

  /// `ONE OTHER`.
  static func runAgreement(_ arguments: [String]) -> Int32 {
    let pictures = arguments.compactMap { DecodedJPEG($0) }
    guard pictures.count == 2, pictures[0].width == pictures[1].width, pictures[0].height == pictures[1].height
    else { return 1 }
    var errors = ErrorSum()
    for (one, other) in zip(pictures[0].samples, pictures[1].samples) {
      errors.add(Int(one), against: Double(other))
    }
    print(errors.decibels(largest: 255))
    return 0
  }
}

/// A JPEG file's picture in RGB.
struct DecodedJPEG {
  let width: Int
  let height: Int
  let samples: [UInt8]

  /// nil for a file that cannot be opened; a damaged one ends the process.
  init?(_ path: String) {
    var (width, height): (Int32, Int32) = (0, 0)
    guard bench_jpeg_size(path, &width, &height) == 0 else { return nil }
    var samples = [UInt8](repeating: 0, count: Int(width) * Int(height) * 3)
    guard bench_jpeg_decode(path, 1, &samples) == 0 else { return nil }
    (self.width, self.height, self.samples) = (Int(width), Int(height), samples)
  }
}
