import Scheduling

/// The time for which each row was busy. Steps of a row never overlap.
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

  /// The share of all workers' time that the workers and the script used, at most 1.
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

/// The time that each operation took itself, without the time of the operations that ran inside it.
struct OperationTimes {
  /// The time of each operation in nanoseconds, by name.
  private(set) var total: [String: Int] = [:]
  /// Each operation's own time, by its index in `TraceRecord.operations`.
  let own: [Int]

  /// - Parameter operations: the operations in the order in which they began, outer ones before inner ones, as in
  ///   `TraceRecord`.
  init(_ operations: [TraceRecord.Span]) {
    var own = operations.map { $0.ended - $0.began }
    var open: [TraceRow: [Int]] = [:]
    for (index, span) in operations.enumerated() {
      var stack = open[span.row] ?? []
      while let last = stack.last, operations[last].ended <= span.began { stack.removeLast() }
      // The time of an inner operation is subtracted from that of the outer one.
      if let outer = stack.last { own[outer] -= min(span.ended, operations[outer].ended) - span.began }
      stack.append(index)
      open[span.row] = stack
    }
    self.own = own.map { max(0, $0) }
    for (index, span) in operations.enumerated() { total[span.name, default: 0] += self.own[index] }
  }

  /// Returns the times, longest first.
  static func sorted(_ times: [String: Int]) -> [(name: String, time: Int)] {
    times.map { (name: $0.key, time: $0.value) }
      .sorted { ($1.time, $0.name) < ($0.time, $1.name) }
  }
}
