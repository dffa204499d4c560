import Scheduling

/// The time that each row was busy. Steps of a row never overlap.
struct BusyTimes {
  /// The busy time in nanoseconds.
  private(set) var time: [TraceRow: Int] = [:]
  let duration: Int
  let workers: Int

  init(_ record: TraceRecord) {
    duration = max(1, record.duration)
    workers = max(1, record.workers)
    for step in record.steps { time[step.row, default: 0] += step.ended - step.began }
  }

  func share(_ row: TraceRow) -> Double { Double(time[row] ?? 0) / Double(duration) }

  /// The share of all workers' time that was used; waiting threads are not included.
  var machineShare: Double {
    let used = time.reduce(0) { sum, entry in
      switch entry.key.kind {
      case .foreground, .low, .script: sum + entry.value
      case .waiting: sum
      }
    }
    return min(1, Double(used) / Double(duration * workers))
  }
}
