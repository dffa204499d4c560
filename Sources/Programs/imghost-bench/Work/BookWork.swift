import BenchReport

/// Every photograph on a page of 2400x1800 pixels, in one PDF.
struct PhotoBook: Work {
  let name = "photo-book"
  let summary =
    "photographs to a PDF of 2400x1800 pages, against the same two with img2pdf"

  static func batch(_ bench: Bench, _ count: Int) -> Batch {
    Batch(
      "photo book of \(count) photographs of 12 MP, 2400x1800, quality 90", bench,
      """
      local pages = img.glob(arg[1] .. "/*.jpg"):map(function(p) return p:fill(2400, 1800) end)
      img.book("book.pdf", pages, { quality = 90, subsampling = "4:2:0" })
      """, [bench.inputs.photoFolder])
  }

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    let batch = Self.batch(bench, photos.count)
    let pdf = batch.peerOut + "/book.pdf"
    let arguments = ["2", pdf, "2400", "1800", "90"] + photos
    var peers = [
      (BatchPeer.libvips("book").command(arguments, " with img2pdf, two threads", bench), 0.6),
      (
        BatchPeer.pillow("book", keepsMemory: true).command(arguments, " with img2pdf, two processes", bench), 0.8
      ),
    ]
    if bench.usesImageMagick { peers.append((imageMagick(photos, pdf), 1)) }
    var lines: [ReportLine] = []
    for (peer, limit) in peers {
      // Removes the files of the previous peer, so that the check of a peer finds only that peer's files.
      try batch.prepare()
      guard let result = try batch.contest([peer]).first else { continue }
      var line = ReportLine(result, work: batch.title, ratioAtMost: limit, megabytesAtMost: 64)
      line.ours.decibels = try PDFPages.check(batch.out + "/book.pdf", photos, size: (2400, 1800), bench)
      if peer.command != nil {
        line.theirs?.decibels = try PDFPages.check(pdf, photos, size: (2400, 1800), bench)
      }
      lines.append(line)
    }
    return lines
  }

  private func imageMagick(_ photos: [String], _ pdf: String) -> PeerCommand {
    PeerCommand(
      name: "ImageMagick",
      command: Command(
        words: ["convert"] + photos + ["-resize", "2400x1800", "-quality", "90", pdf]))
  }
}

struct PassThrough: Work {
  let name = "pass-through"
  let summary = "JPEGs to a PDF without re-encoding, against img2pdf and 'cat'"

  static func batch(_ bench: Bench, _ photos: [String]) -> Batch {
    let bytes = photos.reduce(0) { $0 + (RawFile.size($1) ?? 0) }
    return Batch(
      "\(photos.count) JPEGs (\(NumberText.memory(Double(bytes)))) to a PDF as they are", bench,
      """
      img.book("scans.pdf", img.glob(arg[1] .. "/*.jpg"), { lossless = true })
      """, [bench.inputs.photoFolder])
  }

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let photos = try bench.inputs.neededPhotos()
    let batch = Self.batch(bench, photos)
    try batch.prepare()
    let pdf = batch.peerOut + "/scans.pdf"
    let peers = [
      Self.img2pdf([pdf] + photos, bench),
      PeerCommand(
        name: "cat to one file",
        command: Command(words: ["sh", "-c", "cat \"$@\" >'\(batch.peerOut)/all'", "sh"] + photos)),
    ]
    var results: [ProgramContest.Result] = []
    for (index, peer) in peers.enumerated() {
      results += try batch.contest([peer])
      try PDFPages.checkHolds(batch.out + "/scans.pdf", photos, bench)
      if index == 0, peer.command != nil { try PDFPages.checkHolds(pdf, photos, bench) }
    }
    return results.map { result in
      guard result.peer.hasPrefix("img2pdf") else { return ReportLine(result, work: batch.title) }
      return ReportLine(result, work: batch.title, ratioAtMost: 0.5, megabytesAtMost: 24)
    }
  }

  static func img2pdf(_ arguments: [String], _ bench: Bench) -> PeerCommand {
    let peers = bench.peers
    guard let version = peers.version(of: "img2pdf", .main, bench.scratch) else {
      return PeerCommand(name: "img2pdf", command: nil)
    }
    return PeerCommand(
      name: "img2pdf \(version), internal engine",
      command: Command(
        words: [peers.interpreter(.main), peers.program("batch/bind_img2pdf.py")] + arguments,
        environment: peers.environment()))
  }
}

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
    return try contest.results().map { ReportLine($0, work: batch.title, ratioAtMost: 1.15, megabytesAtMost: 80) }
  }

  /// Measures only the design, which decodes each picture at 1/8.
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
    return try contest.results().map { ReportLine($0, work: batch.title, ratioAtMost: 1.1) }
  }
}
