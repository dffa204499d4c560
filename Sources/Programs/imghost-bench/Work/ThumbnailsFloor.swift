import BenchReport

/// The time of the codecs alone for the thumbnails: a program that uses libjpeg-turbo cannot be faster.
struct ThumbnailsFloor: Work {
  let name = "thumbnails-floor"
  let summary = "the same, against libjpeg-turbo alone"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    let batch = Thumbnails.batch(bench, photos.count)
    try batch.prepare()
    guard batch.command().run(output: "/dev/null") != nil else { throw .failed(batch.title) }
    let floor = try CodecFloor.command(
      photos, results: Folder.files(batch.out, suffix: ".jpg"), shrink: 4, quality: 85, out: batch.peerOut, bench)
    return try batch.contest([floor]).map { result in
      ReportLine(result, work: batch.title, bars: result.ratio.map { [.ratio($0, atMost: 1.08)] } ?? [])
    }
  }
}
