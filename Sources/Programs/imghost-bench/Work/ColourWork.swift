import BenchReport
import CBenchColour

/// Conversions between colour profiles by themselves, from array to array on one thread.
struct ColourWork: Work {
  let name = "kernel-colour"
  let summary = "conversions between colour profiles, 12 MP, against Little CMS"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    var lines: [ReportLine] = []
    for job in ColourJob.allCases { lines.append(try line(job, Inputs.richest(photos), bench)) }
    return lines
  }

  private func line(_ job: ColourJob, _ photo: String, _ bench: Bench) throws(BenchFailure) -> ReportLine {
    let output = bench.scratch.path + "/colours.txt"
    let command = Subprocess.colourCalls.command([job.rawValue, photo, String(bench.kernelRuns)])
    guard Measurement(command, output: output) != nil, let text = TextFile.read(output) else {
      throw .failed(job.rawValue)
    }
    let rows = text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Double($0) } }
    guard rows.count == bench.kernelRuns + 1, rows.allSatisfy({ $0.count == 2 }), let quality = rows.last else {
      throw .failed(job.rawValue)
    }
    let pairs = rows.dropLast()
    let ratio = pairs.map { $0[0] / $0[1] }.median
    let version = Int(bench_colour_version())
    return ReportLine(
      work: job.rawValue,
      ours: Figures(
        seconds: pairs.map { $0[0] / 1e9 }.median,
        quality: Quality(largestError: Int(quality[0]), decibels: quality[1])),
      peer: "Little CMS \(version / 1000).\(version % 1000 / 10)",
      theirs: Figures(seconds: pairs.map { $0[1] / 1e9 }.median), ratio: ratio,
      bars: [
        .ratio(ratio, atMost: job.limit),
        Bar("error \u{2264} \(job.tolerance) of 255", isMet: quality[0] <= Double(job.tolerance) * job.levels),
      ])
  }
}

extension ColourJob {
  /// The largest error, in levels of 8 bits. A grid of inks has steps between which light is not quite linear.
  fileprivate var tolerance: Int { self == .cmyk ? 3 : 1 }
  /// A level of 8 bits, in levels of the samples.
  fileprivate var levels: Double { sampleBytes == 1 ? 1 : 257 }
}
