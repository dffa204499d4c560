import BenchReport

/// A job for imghost with each instruction set and for every peer, in alternation.
///
/// Each of imghost's instruction sets has peers of its own: those beside AVX2 are held to AVX2, too, where
/// they know how. A round runs ours and then a peer, for one peer after another; so each time of a peer's has
/// one of ours right before it, and a line's ratio is the median of these pairs'.
struct KernelContest {
  let job: KernelJob
  let bench: Bench
  /// The largest ratio of our time to the best peer's, by instruction set.
  let limits: [String: Double]

  private struct Contestant {
    let name: String
    /// The number of our variant, or of the one that a peer runs against.
    let variant: Int
    let worker: Worker
    let result: String
    var times: [Double] = []
    var processorTimes: [Double] = []
    var quality: Quality?
  }

  func lines() throws(BenchFailure) -> [ReportLine] {
    let source = try KernelInput.path(job, bench)
    var ours = try startOurs(source)
    var (peers, missing): ([Contestant], [String]) = ([], [])
    for own in ours {
      let its = startPeers(source, against: own)
      peers += its.peers
      // A peer that is not installed is reported once.
      if own.variant == 0 { missing = its.missing }
    }
    // A round that does not count: pages, caches and first-time work.
    try run(&ours, &peers, rounds: 1)
    try save(ours + peers)
    guard
      let qualities = KernelJudge.judge(
        job, source: source, ours: ours.map(\.result), peers: peers.map(\.result),
        scratch: bench.scratch.path)
    else { throw .failed("the judge of \(job.title)") }
    for index in ours.indices { ours[index].quality = qualities[index] }
    for index in peers.indices { peers[index].quality = qualities[ours.count + index] }
    for index in ours.indices { ours[index].times = [] }
    for index in peers.indices { peers[index].times = [] }
    try run(&ours, &peers, rounds: bench.kernelRuns)
    tellProcessorTimes(ours + peers)
    return report(ours, peers) + missing.map { absent($0, ours) }
  }

  /// On a machine that does other things, too, this says more than the time that passed; and whether
  /// everybody used one thread.
  private func tellProcessorTimes(_ contestants: [Contestant]) {
    let times = contestants.map {
      "\($0.name.prefix { $0 != "(" }) \(NumberText.time($0.processorTimes.median))"
    }
    BenchProgram.message("\(job.title): processor time: \(times.joined(separator: ", "))")
  }

  private func startOurs(_ source: String) throws(BenchFailure) -> [Contestant] {
    var result: [Contestant] = []
    for (name, instructions) in [("AVX-512", "v4"), ("AVX2", "v3"), ("SSE2", "baseline")] {
      // SSE2 is for machines that have nothing better.
      if instructions == "baseline", !result.isEmpty { continue }
      let path = bench.scratch.path + "/ours-\(instructions).raw"
      switch Result(catching: { () throws(Worker.Failure) in
        try Worker(Subprocess.kernelWorker.command([instructions, source, path] + job.arguments))
      }) {
      case .success(let worker):
        result.append(
          Contestant(name: name, variant: result.count, worker: worker, result: path))
      case .failure(.unsupported): continue
      case .failure(.missing(let reason)):
        throw .failed("imghost's worker for \(job.title): \(reason)")
      }
    }
    return result
  }

  private func startPeers(_ source: String, against own: Contestant) -> (peers: [Contestant], missing: [String]) {
    var (peers, missing): ([Contestant], [String]) = ([], [])
    for (index, peer) in KernelPeer.all.enumerated() {
      let path = bench.scratch.path + "/peer-\(own.variant)-\(index).raw"
      switch Result(catching: { () throws(Worker.Failure) in
        try peer.start(job, heldToAVX2: own.name == "AVX2", source: source, result: path, bench.peers)
      }) {
      case .success(let worker):
        peers.append(
          Contestant(
            name: "\(peer.name) (\(worker.version))\(worker.remark)", variant: own.variant, worker: worker, result: path
          ))
      case .failure(.unsupported): continue
      case .failure(.missing): missing.append(peer.name)
      }
    }
    return (peers, missing)
  }

  private func run(_ ours: inout [Contestant], _ peers: inout [Contestant], rounds: Int) throws(BenchFailure) {
    for _ in 0..<rounds {
      for peer in peers.indices {
        try time(&ours[peers[peer].variant])
        try time(&peers[peer])
      }
      if peers.isEmpty { for own in ours.indices { try time(&ours[own]) } }
    }
  }

  private func time(_ contestant: inout Contestant) throws(BenchFailure) {
    guard let times = contestant.worker.run() else { throw .failed(contestant.name) }
    contestant.times.append(times.passed)
    contestant.processorTimes.append(times.processor)
  }

  private func save(_ contestants: [Contestant]) throws(BenchFailure) {
    for contestant in contestants where !contestant.worker.save() { throw .failed(contestant.name) }
  }

  private func report(_ ours: [Contestant], _ peers: [Contestant]) -> [ReportLine] {
    ours.flatMap { own in
      let its = peers.filter { $0.variant == own.variant }
      let best = its.indices.min { its[$0].times.median < its[$1].times.median }
      return its.enumerated().map { index, peer in
        // Our times before this peer's: every so many, from its place on.
        let before = stride(from: index, to: own.times.count, by: its.count).map { own.times[$0] }
        let ratio = zip(before, peer.times).map { $0 / $1 }.median
        return ReportLine(
          work: job.title, variant: own.name,
          ours: Figures(seconds: before.median, quality: own.quality), peer: peer.name,
          theirs: Figures(seconds: peer.times.median, quality: peer.quality), ratio: ratio,
          bars: bars(own, ratio: ratio) + (index == best ? qualityBars(own) : []))
      }
    }
  }

  private func bars(_ own: Contestant, ratio: Double) -> [Bar] {
    limits[own.name].map { [.ratio(ratio, atMost: $0)] } ?? []
  }

  /// At most a level from the reference, and in 8 bits hardly more noise than rounding makes.
  private func qualityBars(_ own: Contestant) -> [Bar] {
    guard let quality = own.quality, let largest = quality.largestError else { return [] }
    let error = Bar("error \u{2264} 1", isMet: largest <= 1)
    guard job.bits == 8 else { return [error] }
    return [error, Bar("\u{2265} 58.8 dB", isMet: quality.decibels >= 58.8)]
  }

  private func absent(_ name: String, _ ours: [Contestant]) -> ReportLine {
    ReportLine(
      work: job.title, variant: ours[0].name, ours: Figures(seconds: ours[0].times.median, quality: ours[0].quality),
      peer: name, theirs: nil, ratio: nil)
  }
}
