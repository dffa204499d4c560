import BenchReport
import Platform

/// The cost of running codecs in processes of their own.
enum FormatIsolation {
  static func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    var lines: [ReportLine] = []
    for format in bench.formats {
      lines += try large(format.folder, format.title, options: format.options, limit: 1.05, bench)
      guard format == .tiff else { continue }
      lines += try large("tiff-plain", "uncompressed TIFF", options: "{}", limit: 1.1, bench)
    }
    return try bench.formats.contains(.webp) ? lines + small(bench) : lines
  }

  /// Measures reading all pixels of twelve different files, isolated and in-process.
  private static func large(_ folder: String, _ title: String, options: String, limit: Double, _ bench: Bench)
    throws(BenchFailure) -> [ReportLine]
  {
    let files = Array(try bench.files(folder, title).prefix(12))
    guard !files.isEmpty else { return [] }
    let batch = Batch(
      "\(files.count) files of \(title), 12 MP, all pixels read, isolated", bench,
      """
      for _, path in ipairs(arg) do img.open(path, \(options)):stats() end
      """, files)
    return try IsolationContest(batch: batch).lines(limit: limit)
  }

  /// Measures the time that each further small file takes, isolated and in-process.
  private static func small(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let count = 1000
    let scratch = bench.scratch.path
    let folder = scratch + "/small"
    let make = TextFile.write(
      """
      local img = require "imghost"
      img.canvas(64, 64, { background = "teal" }):save("small.webp")
      """, scratch + "/small.lua")
    guard Folder.make(folder), Measurement([Folder.sibling("imghost"), "run", "--out", scratch, make]) != nil else {
      BenchProgram.message("the fixed cost is left out: imghost does not write WebP")
      return []
    }
    for index in 0..<2 * count { symlink(scratch + "/small.webp", "\(folder)/\(index).webp") }
    let batch = Batch(
      "one WebP of 64x64 more, isolated", bench,
      """
      for i = 0, tonumber(arg[2]) - 1 do img.open(arg[1] .. "/" .. i .. ".webp"):stats() end
      """, [folder])
    try batch.prepare()
    return try IsolationContest(batch: batch).lines(ofEach: count) { isolated, _ in
      Bar("\(NumberText.decimal(isolated * 1e3, 3)) ms \u{2264} 0.2 ms", isMet: isolated <= 0.2e-3)
    }
  }
}
