import BenchReport
import Platform

/// Compares results with the 64-bit reference. A process of its own, so that the reference's memory is not
/// the measuring program's.
///
/// Pixels that have alpha below half a level in the reference count by alpha only. Peers are judged on pixels for which
/// their kernels stay inside the picture, because most repeat or mirror the edges.
enum KernelJudge {
  /// `SOURCE JOB(8 words) OWN RESULT…`, of which the first OWN are ours: prints a line `LARGEST DECIBELS`
  /// for each result.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 10, let job = KernelJob(arguments[1..<9]),
      let own = Int(arguments[9])
    else { return 2 }
    let source = UnsafeMutableRawPointer.allocate(byteCount: job.sourceBytes, alignment: 64)
    defer { source.deallocate() }
    guard RawFile.read(arguments[0], into: source, count: job.sourceBytes) else { return 1 }
    let results = arguments[10...].map { path in
      let memory = UnsafeMutableRawPointer.allocate(byteCount: job.targetBytes, alignment: 64)
      return (memory, RawFile.read(path, into: memory, count: job.targetBytes))
    }
    defer { results.forEach { $0.0.deallocate() } }
    guard results.allSatisfy({ $0.1 }) else { return 1 }
    let reference = ReferenceResampling(job, source: source)
    var errors = results.map { _ in ErrorSum() }
    var row: [Double] = []
    let inner = (x: reference.innerColumns, y: reference.innerRows)
    for y in 0..<job.targetHeight {
      reference.row(y, into: &row)
      for (index, result) in results.enumerated() {
        let columns = index < own ? 0..<job.targetWidth : inner.y.contains(y) ? inner.x : 0..<0
        errors[index].add(row, result.0 + y * job.targetRowBytes, columns, job)
      }
    }
    for error in errors { print(error.largest, error.decibels(largest: Double((1 << job.bits) - 1))) }
    return 0
  }

  /// Judges results in a process of its own; nil if that failed.
  static func judge(_ job: KernelJob, source: String, ours: [String], peers: [String], scratch: String) -> [Quality]? {
    let output = scratch + "/judge.txt"
    let command = Subprocess.judge.command([source] + job.arguments + [String(ours.count)] + ours + peers)
    guard Measurement(command, output: output) != nil, let text = TextFile.read(output) else { return nil }
    let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
    guard lines.count == ours.count + peers.count else { return nil }
    return lines.map {
      Quality(largestError: Int($0[0]) ?? -1, decibels: Double($0[1]) ?? 0)
    }
  }
}

/// Differences from a reference, added up.
struct ErrorSum {
  private(set) var largest = 0
  private var squares = 0.0
  private var count = 0

  mutating func add(_ reference: [Double], _ row: UnsafeRawPointer, _ columns: Range<Int>, _ job: KernelJob) {
    for column in columns {
      let x = column * job.bands
      let isInvisible = job.hasAlpha && reference[x + job.bands - 1] < 0.5
      for band in (isInvisible ? job.bands - 1 : 0)..<job.bands {
        let index = x + band
        let sample =
          job.bits == 8
          ? Int(row.load(fromByteOffset: index, as: UInt8.self))
          : Int(row.load(fromByteOffset: 2 * index, as: UInt16.self))
        add(sample, against: reference[index])
      }
    }
  }

  mutating func add(_ sample: Int, against reference: Double) {
    largest = max(largest, abs(sample - Int(reference.rounded())))
    let difference = Double(sample) - reference
    squares += difference * difference
    count += 1
  }

  /// The ratio of peak signal to noise, where the signal's peak is `largest`.
  func decibels(largest: Double) -> Double {
    squares == 0 ? 999 : 10 * log10(largest * largest * Double(count) / squares)
  }
}
