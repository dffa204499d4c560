import Scheduling

@testable import RunTrace

/// Trace records to draw.
enum Records {
  static let worker = TraceRow(.foreground, 0)

  /// Returns a record with two pictures on two workers, one of them with operations, an urgent item, and a thread that
  /// waits.
  static func small() -> TraceRecord {
    let low = TraceRow(.low, 3)
    let other = TraceRow(.foreground, 2)
    return TraceRecord(
      steps: [
        .init(worker, "a \"b\" <c>\u{1}.jpg", .default, began: 1_000_000, ended: 2_000_000),
        .init(low, "back\\slash & more", .background, began: 1_500_000, ended: 9_000_000),
        .init(worker, "a \"b\" <c>\u{1}.jpg", .default, began: 2_010_000, ended: 3_000_000),
        .init(other, "urgent", .userInteractive, began: 4_000_000, ended: 6_000_000),
        .init(TraceRow(.waiting, 0), "verify b.pdf", .utility, began: 9_000_000, ended: 9_900_000),
      ],
      operations: [
        .init(worker, "resize", began: 1_000_000, ended: 1_800_000),
        .init(worker, "decode jpeg", began: 1_100_000, ended: 1_600_000),
        .init(worker, "encode jpeg", began: 1_800_000, ended: 2_000_000),
      ],
      levels: [
        .init(time: 0, ready: SIMD8(0, 0, 2, 0, 1, 0, 0, 0), bytes: 5_000_000),
        .init(time: 5_000_000, ready: SIMD8(), bytes: 0),
      ],
      marks: [
        .init(time: 3_000_000, .cancelled, "out/\"x\"\n.jpg"),
        .init(time: 9_000_000, .bookWritten, "b.pdf"),
      ],
      duration: 10_000_000, workers: 2)
  }

  /// Returns a record with many steps, one after another on each worker, in changing classes.
  static func large(steps: Int, workers: Int) -> TraceRecord {
    let count = steps / workers
    var all: [TraceRecord.Span] = []
    for index in 0..<count {
      for number in 0..<workers {
        all.append(
          .init(
            TraceRow(.foreground, number), "photo-\(index)-\(number).jpg",
            QualityOfService.allCases[(index / 50 + number) % 5], began: index * 1_000_000,
            ended: index * 1_000_000 + 900_000))
      }
    }
    let levels = (0..<count).map { index in
      TraceRecord.Level(
        time: index * 1_000_000, ready: SIMD8(0, 0, Int32(count - index), 0, 0, 0, 0, 0), bytes: index * 1000)
    }
    return TraceRecord(
      steps: all, levels: levels, duration: count * 1_000_000, workers: workers)
  }
}
