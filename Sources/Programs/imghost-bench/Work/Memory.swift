import BenchReport
import Platform

/// The growth of memory with the number of pictures: the median peak of three runs with 2,000 pictures against that of
/// three runs with 100.
struct Memory: Work {
  let name = "memory"
  let summary = "memory of 2,000 thumbnails against that of 100"

  private static let (few, many) = (100, 2000)

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    let folder = bench.scratch.path + "/links"
    guard Folder.make(folder) else { throw .failed("folder \(folder)") }
    for index in 0..<Self.many {
      let name = String(10_000 + index).dropFirst()
      let photo = photos[index % photos.count]
      let target = photo.hasPrefix("/") ? photo : "\(currentFolder())/\(photo)"
      symlink(target, "\(folder)/\(name).jpg")
    }
    let small = try median(Self.few, "00", folder, bench)
    let large = try median(Self.many, "", folder, bench)
    let growth = Double(large.peakBytes) / Double(small.peakBytes)
    return [
      ReportLine(
        work: "\(Self.many) photographs of 12 MP to 400-pixel JPEGs",
        ours: Figures(seconds: large.seconds, peakBytes: Double(large.peakBytes)), peer: "imghost, \(Self.few) of them",
        theirs: Figures(seconds: small.seconds, peakBytes: Double(small.peakBytes)), ratio: nil,
        bars: [Bar("memory \(NumberText.decimal(growth, 2)) times as much \u{2264} 1.2", isMet: growth <= 1.2)])
    ]
  }

  /// Returns the run with the middle peak out of three.
  private func median(_ count: Int, _ prefix: String, _ folder: String, _ bench: Bench)
    throws(BenchFailure) -> Measurement
  {
    var runs: [Measurement] = []
    for _ in 0..<3 { runs.append(try peak(count, prefix, folder, bench)) }
    return runs.sorted { $0.peakBytes < $1.peakBytes }[1]
  }

  private func peak(_ count: Int, _ prefix: String, _ folder: String, _ bench: Bench)
    throws(BenchFailure) -> Measurement
  {
    let batch = Batch(
      "\(count) thumbnails", bench,
      """
      img.glob(arg[1]):map(function(p) return p:thumbnail(400, 400) end)
        :save("{stem}.jpg", { quality = 85 })
      """, ["\(folder)/\(prefix)*.jpg"])
    try batch.prepare()
    guard let result = batch.command().run(output: "/dev/null") else { throw .failed(batch.title) }
    let made = Folder.files(batch.out, suffix: ".jpg").count
    guard made == count else { throw .wrongResult("\(made) thumbnails instead of \(count)") }
    return result
  }
}
