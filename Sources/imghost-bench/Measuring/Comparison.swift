/// Runs ours and the peer's command in turn, so that both see the machine in the same mood.
struct Comparison {
  private let row: Row
  private let runs: Int

  init(_ row: Row, runs: Int) {
    self.row = row
    self.runs = runs
  }

  /// The row's line of the table; nil, with a message, when our command fails.
  func measure() -> Table.Line? {
    var ours: [Measurement] = []
    var peers: [Measurement] = []
    // One pair that does not count: caches and first-time work.
    for run in 0...runs {
      guard let own = Measurement(row.ours) else {
        BenchProgram.message("imghost-bench: failed: " + row.ours.joined(separator: " "))
        return nil
      }
      let peer = row.peer.flatMap { Measurement($0) }
      guard run > 0 else { continue }
      ours.append(own)
      if let peer { peers.append(peer) }
    }
    let ratios = zip(ours, peers).map { $0.seconds / $1.seconds }
    return Table.Line(
      name: row.name, seconds: ours.map(\.seconds).median,
      peakBytes: ours.map { Double($0.peakBytes) }.median, peerName: row.peerName,
      peerSeconds: peers.isEmpty ? nil : peers.map(\.seconds).median,
      peerPeakBytes: peers.isEmpty ? nil : peers.map { Double($0.peakBytes) }.median,
      ratio: ratios.isEmpty ? nil : ratios.median)
  }
}
