import BenchReport

/// A book with an automatic design, compared with a book without a design and with thumbnails of the same photographs.
struct DesignedBook: Work {
  let name = "designed-book"
  let summary = "a designed book, against one picture a page, and 400-pixel thumbnails"

  /// The photographs show the same subjects, so `duplicates` keeps similar ones in the book.
  private static let options = "{ layout = \"auto\", paper = \"20x20\", bleed = \"3mm\", duplicates = true }"
  private static let photos = "img.glob(arg[1] .. \"/*.jpg\")"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    return try [whole(photos, bench), measuring(photos, bench)].flatMap { $0 }
  }

  /// Measures the whole book. The cache of facts about pictures is emptied before each run.
  private func whole(_ photos: [String], _ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let batch = Batch(
      "designed book of \(photos.count) photographs of 12 MP, 20x20 cm, read for the first time", bench,
      "img.book(\"book.pdf\", \(Self.photos), \(Self.options))", [bench.inputs.photoFolder])
    try batch.prepare()
    var command = batch.command()
    guard command.run(output: bench.scratch.path + "/output.txt") != nil else { throw .failed("the designed book") }
    let pixels = try PDFPages.pixelCount(batch.out + "/book.pdf", bench)
    let plain = TextFile.write(
      """
      local img = require "imghost"
      local function page(photo)
        return photo:resize(math.floor(math.sqrt(\(pixels / photos.count) * photo.width / photo.height)))
      end
      img.book("book.pdf", \(Self.photos):map(page))
      """, bench.scratch.path + "/plain.lua")
    let peer = PeerCommand(
      name: "imghost, one picture a page, as many pixels",
      command: Command(
        words: [Folder.sibling("imghost"), "run", "--out", batch.peerOut, plain] + batch.arguments))
    let cache = bench.scratch.path + "/cache"
    command.environment = ["XDG_CACHE_HOME": cache]
    let contest = ProgramContest(
      ours: command, peers: [peer], folders: (ours: [batch.out, cache], peers: [batch.peerOut]), bench: bench)
    return try contest.results().map { result in
      ReportLine(
        result, work: batch.title,
        bars: (result.ratio.map { [.ratio($0, atMost: 1.15)] } ?? [])
          + [.memory(result.ours.peakBytes ?? 0, atMost: 80)])
    }
  }

  /// Measures only the design, for which each picture is decoded at 1/8.
  private func measuring(_ photos: [String], _ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let batch = Batch(
      "design of a book of \(photos.count) photographs of 12 MP, read for the first time", bench,
      "img.book(\"book.pdf\", \(Self.photos), \(Self.options))", [bench.inputs.photoFolder])
    let small = TextFile.write(
      """
      local img = require "imghost"
      \(Self.photos):map(function(photo) return photo:thumbnail(400) end):save("{stem}.jpg")
      """, bench.scratch.path + "/small.lua")
    let imghost = Folder.sibling("imghost")
    let cache = bench.scratch.path + "/cache"
    let contest = ProgramContest(
      ours: Command(
        words: [imghost, "check", batch.script] + batch.arguments, environment: ["XDG_CACHE_HOME": cache]),
      peers: [
        PeerCommand(
          name: "imghost, 400-pixel thumbnails",
          command: Command(words: [imghost, "run", "--out", batch.peerOut, small] + batch.arguments))
      ], folders: (ours: [cache], peers: [batch.peerOut]), bench: bench)
    return try contest.results().map { result in
      ReportLine(result, work: batch.title, bars: result.ratio.map { [.ratio($0, atMost: 1.1)] } ?? [])
    }
  }
}
