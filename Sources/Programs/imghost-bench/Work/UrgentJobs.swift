import BenchReport

/// The time until a small urgent job starts while a batch of a lower class keeps every worker busy.
struct UrgentJobs: Work {
  let name = "urgent"
  let summary = "when urgent jobs start beside batches of every kind"

  /// The number of urgent jobs during one batch, unless the batch ends earlier.
  private static let count = 600

  /// The batches, as Lua code that uses the list `photos` and passes its jobs to `add`.
  private static let batches: [(title: String, script: String)] = [
    ("PNGs with compression = 9", "add(photos:save('{stem}.png', { compression = 9 }))"),
    (
      "interlaced PNGs with compression = 9", "add(photos:save('{stem}.png', { compression = 9, interlaced = true }))"
    ),
    (
      "progressive JPEGs written and read",
      """
      local written = photos:save('first/{stem}.jpg', { progressive = true })
      written:await()
      local read = img.glob(arg[2] .. '/first/*.jpg'):map(function(p) return p:sharpen() end)
      add(read:save('second/{stem}.jpg', { progressive = true }))
      """
    ),
    (
      "normalize", "add(photos:map(function(p) return p:normalize() end):save('{stem}.jpg'))"
    ),
    (
      "rotate(90) and rotate(12)",
      """
      add(photos:map(function(p) return p:rotate(90) end):save('a/{stem}.jpg'))
      add(photos:map(function(p) return p:rotate(12) end):save('b/{stem}.jpg'))
      """
    ),
    ("blur(60)", "add(photos:map(function(p) return p:blur(60) end):save('{stem}.jpg'))"),
    (
      "chains of 250 operations",
      """
      add(photos:map(function(p)
        p = p:fit(800, 800)
        for i = 1, 250 do p = p:blur(0.6) end
        return p
      end):save('{stem}.jpg'))
      """
    ),
    (
      "plugin calls",
      """
      add(photos:map(function(p) return p:plugin('vignette') end):save('a/{stem}.jpg'))
      add(photos:map(function(p) return p:plugin('halftone') end):save('b/{stem}.jpg'))
      """
    ),
    (
      "plugin calls on shared pictures",
      """
      local marks = {}
      for i, p in ipairs(photos) do marks[i] = p:plugin('film_grain', { seed = i }):plugin('vignette') end
      for i, p in ipairs(photos) do
        for side = 600, 700, 100 do
          add(p:fit(side, side):composite(marks[i]):save(side .. '-' .. i .. '.jpg'))
        end
      end
      """
    ),
    ("AVIF encoding", "add(photos:map(function(p) return p:fit(1600, 1600) end):save('{stem}.avif'))"),
    (
      "AVIF encoding, utility",
      "add(photos:map(function(p) return p:fit(1600, 1600) end):save('{stem}.avif', { qos = 'utility' }))"
    ),
    (
      "books",
      """
      for i = 1, 3 do
        local pages = photos:map(function(p) return p:fill(2400 - i, 1800) end)
        add(img.book(i .. '.pdf', pages, { title = 'Book ' .. i }))
      end
      """
    ),
    (
      "books that are verified",
      """
      for i = 1, 3 do
        local pages = photos:map(function(p) return p:fill(2400 - i, 1800) end)
        add(img.book(i .. '.pdf', pages, { verify = true }))
      end
      """
    ),
  ]

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    _ = try bench.inputs.neededPhotos()
    var lines: [ReportLine] = []
    for (title, script) in Self.batches {
      let times = try latencies(script, bench)
      guard !times.isEmpty else { throw .wrongResult("no urgent job ran beside \(title)") }
      let last = times.percentile(99)
      lines.append(
        ReportLine(
          work: "start of an urgent job beside \(title), p99 of \(times.count) (p50 "
            + "\(NumberText.time(times.median)), longest \(NumberText.time(times.percentile(100))))",
          ours: Figures(seconds: last), bars: [.seconds(last, atMost: 0.005)]))
    }
    return lines
  }

  /// Returns the seconds from the request of each urgent job to its first step, in one run.
  private func latencies(_ batch: String, _ bench: Bench) throws(BenchFailure) -> [Double] {
    let out = bench.scratch.path + "/urgent"
    try Folder.empty(out)
    let script = TextFile.write(
      """
      local img = require "imghost"
      local photos = img.glob(arg[1] .. "/*.jpg")
      local jobs = {}
      local function add(job) jobs[#jobs + 1] = job end
      \(batch)
      for i = 1, \(Self.count) do
        if jobs[#jobs].state == "finished" then break end
        img.canvas(16, 16):save("urgent/" .. i .. ".png", { qos = "user-interactive" }):await()
      end
      for _, job in ipairs(jobs) do job:cancel() end
      """, bench.scratch.path + "/urgent.lua")
    let trace = bench.scratch.path + "/urgent.json"
    let words = [Folder.sibling("imghost"), "run", "--out", out, "--trace", trace, script]
    guard Measurement(words + [bench.inputs.photoFolder, out]) != nil, let text = TextFile.read(trace)
    else { throw .failed(words.joined(separator: " ")) }
    return Self.latencies(trace: text)
  }

  /// Reads the latencies from a trace in Chrome's format with one event per line. A latency begins when an urgent item
  /// becomes ready while no other is, and ends when the next urgent step begins.
  static func latencies(trace: String) -> [Double] {
    var (asked, began): ([Double], [Double]) = ([], [])
    var isReady = false
    for line in trace.split(separator: "\n") {
      guard let time = number(after: "\"ts\":", in: line) else { continue }
      if let ready = number(after: "\"user-interactive\":", in: line) {
        if ready > 0, !isReady { asked.append(time) }
        isReady = ready > 0
      } else if line.contains("\"cat\":\"user-interactive\"") {
        began.append(time)
      }
    }
    began.sort()
    var next = began[...]
    return asked.compactMap { time in
      next = next.drop { $0 < time }
      return next.first.map { ($0 - time) / 1e6 }
    }
  }

  private static func number(after key: String, in line: Substring) -> Double? {
    guard let range = line.firstRange(of: key) else { return nil }
    return Double(line[range.upperBound...].prefix { $0.isNumber || $0 == "." })
  }
}
