import BenchReport

/// Resampling by itself, from array to array on one thread.
struct KernelWork: Work {
  let name: String
  let summary: String
  let jobs: [KernelJob]
  /// The largest ratios of our time to the best peer's, with AVX2 and with AVX-512.
  var limits = (avx2: 0.9, avx512: 0.9)

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    var lines: [ReportLine] = []
    for job in jobs {
      lines += try KernelContest(
        job: job, bench: bench,
        limits: ["AVX2": limits.avx2, "AVX-512": limits.avx512]
      ).lines()
    }
    return lines
  }

  static let all: [KernelWork] = [
    KernelWork(
      name: "kernel-rgba8", summary: "RGBA8 4000x3000 to 1200x900, Lanczos 3",
      jobs: [KernelJob(4000, 3000, bands: 4, to: (1200, 900))], limits: (0.85, 0.75)),
    KernelWork(
      name: "kernel-rgb8", summary: "RGB8 4000x3000 to 1200x900, Lanczos 3",
      jobs: [KernelJob(4000, 3000, bands: 3, to: (1200, 900))]),
    KernelWork(
      name: "kernel-rgb8-small", summary: "RGB8 to 400x300, Lanczos 3 and Catmull-Rom",
      jobs: [
        KernelJob(4000, 3000, bands: 3, to: (400, 300)),
        KernelJob(4000, 3000, bands: 3, to: (400, 300), .cubic),
      ]),
    KernelWork(
      name: "kernel-enlarge", summary: "RGB8 and RGBA8 1200x900 to 4000x3000, Lanczos 3",
      jobs: [
        KernelJob(1200, 900, bands: 3, to: (4000, 3000)),
        KernelJob(1200, 900, bands: 4, to: (4000, 3000)),
      ]),
    KernelWork(
      name: "kernel-gray8", summary: "gray 4000x3000 to 1200x900, Lanczos 3",
      jobs: [KernelJob(4000, 3000, bands: 1, to: (1200, 900))]),
    KernelWork(
      name: "kernel-rgba8-alpha", summary: "RGBA8 likewise, colours weighted by alpha",
      jobs: [KernelJob(4000, 3000, bands: 4, hasAlpha: true, to: (1200, 900))]),
    KernelWork(
      name: "kernel-16bit", summary: "gray, RGB and RGBA likewise in 16 bits",
      jobs: [
        KernelJob(4000, 3000, bands: 1, bits: 16, to: (1200, 900)),
        KernelJob(4000, 3000, bands: 3, bits: 16, to: (1200, 900)),
        KernelJob(4000, 3000, bands: 4, bits: 16, to: (1200, 900)),
        KernelJob(4000, 3000, bands: 4, bits: 16, hasAlpha: true, to: (1200, 900)),
      ]),
  ]
}
