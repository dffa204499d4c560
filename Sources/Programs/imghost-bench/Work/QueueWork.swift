import BenchReport
import Scheduling

/// The queues and groups of the library `Scheduling` against Grand Central Dispatch.
struct QueueWork: Work {
  let name = "queues"
  let summary = "Scheduling's queues and groups beside those of Dispatch"

  func lines(_ bench: Bench) throws(BenchFailure) -> [ReportLine] {
    let contest = PoolContest(
      workers: Scheduling.Machine.detect().effectiveCores,
      rounds: Spinning.roundsOfAMillisecond(), bench: bench)
    let urgent = try contest.pairs((.imghost, "loaded"), (.dispatch, "loaded"), runs: bench.runs) { $0.percentile(99) }
    var lines = [
      urgent.line(
        "2 ms user-interactive job beside a batch in the background, p99", peer: "DispatchQueue.global(qos:)",
        bar: Bar("better", isMet: urgent.ratio < 1))
    ]
    for (measure, work, peer) in [
      ("jobs", "an empty item", "DispatchQueue.global(qos:)"),
      ("serial", "an empty item of a serial queue", "DispatchQueue(label:)"),
      ("group", "an empty item of a group of 1,000, with notification", "DispatchGroup"),
    ] {
      let pairs = try contest.pairs((.imghost, measure), (.dispatch, measure), runs: bench.runs) {
        $0[0]
      }
      lines.append(pairs.line(work, peer: peer, bar: .seconds(pairs.ours, atMost: 10e-6)))
    }
    return lines
  }
}
