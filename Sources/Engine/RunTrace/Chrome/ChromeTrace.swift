import ImageCore
import Scheduling

/// A run in the Trace Event Format, which chrome://tracing and Perfetto open. Each thread is a row, and each step a
/// block with its operations inside. Counters show ready items and memory; marks are instant events.
///
/// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
package struct ChromeTrace: Sendable {
  private let record: TraceRecord
  private let names: RowNames
  private let numbers: [TraceRow: Int]
  /// The size in bytes from which a piece of output is passed on. Only one piece is in memory at a time.
  private static let pieceLength = 1 << 16

  package init(_ record: TraceRecord) {
    self.record = record
    // Operations without a recorded step belong to a step that was dropped or has not ended.
    let rows = Set(record.rows).union(record.operations.lazy.map(\.row)).sorted()
    names = RowNames(rows)
    // Row 0 is for events without a thread.
    numbers = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1, $0 + 1) })
  }

  /// The first characters of every trace. A file that begins with them is a trace, and may be replaced by a new one.
  package static let beginning = "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"program\":\"imghost\","

  /// The whole text.
  package var json: String {
    var text = ""
    write { text += $0 }
    return text
  }

  /// Passes the text to `sink` in pieces, because the text of a long run is too large for memory.
  package func write<Failure: Error>(to sink: (String) throws(Failure) -> Void) throws(Failure) {
    var piece = Self.beginning
    piece += "\"workers\":\(record.workers),\"dropped_events\":\(record.droppedCount)},"
    piece += "\"traceEvents\":[\n"
    piece += event("M", "process_name", 0, nil, args: "{\"name\":\"imghost\"}", isFirst: true)
    for row in names.rows {
      let number = numbers[row]!
      piece += event("M", "thread_name", number, nil, args: "{\"name\":\(JSONText.quoted(names[row]))}")
      piece += event("M", "thread_sort_index", number, nil, args: "{\"sort_index\":\(number)}")
    }
    for span in [record.steps, record.operations].joined() {
      piece += block(span)
      try flush(&piece, sink)
    }
    for level in record.levels {
      piece += counters(level)
      try flush(&piece, sink)
    }
    for mark in record.marks {
      piece += instant(mark.kind.rawValue, mark.detail, mark.time)
      try flush(&piece, sink)
    }
    if record.droppedCount > 0 {
      piece += instant(
        "events were dropped", Quantity.grouped(record.droppedCount) + " of them, the last",
        record.duration)
    }
    try sink(piece + "\n]}\n")
  }

  private func flush<Failure: Error>(_ piece: inout String, _ sink: (String) throws(Failure) -> Void) throws(Failure) {
    guard piece.utf8.count >= Self.pieceLength else { return }
    try sink(piece)
    piece = ""
  }

  private func block(_ span: TraceRecord.Span) -> String {
    var rest = ",\"dur\":" + Self.microseconds(span.ended - span.began)
    if let qos = span.qos {
      rest += ",\"cat\":\"\(qos.name)\",\"cname\":\"\(ClassColour.chromeName(qos))\""
    } else {
      rest += ",\"cat\":\"operation\""
    }
    return event("X", span.name, numbers[span.row]!, span.began, rest)
  }

  private func counters(_ level: TraceRecord.Level) -> String {
    let ready = QualityOfService.allCases.map { "\"\($0.name)\":\(level.readyCount($0))" }
    return event(
      "C", "ready items", 0, level.time, args: "{" + ready.joined(separator: ",") + "}")
      + event("C", "admitted memory", 0, level.time, args: "{\"bytes\":\(level.bytes)}")
  }

  private func instant(_ name: String, _ detail: String, _ time: Int) -> String {
    event("i", name, 0, time, ",\"s\":\"p\",\"cat\":\"mark\"", args: "{\"what\":\(JSONText.quoted(detail))}")
  }

  /// Returns the text of an event, after a comma unless `isFirst`. `rest` is empty or begins with a comma.
  private func event(
    _ phase: String, _ name: String, _ row: Int, _ time: Int?, _ rest: String = "",
    args: String? = nil, isFirst: Bool = false
  ) -> String {
    (isFirst ? "" : ",\n") + "{\"ph\":\"\(phase)\",\"pid\":1,\"tid\":\(row),"
      + (time.map { "\"ts\":\(Self.microseconds($0))," } ?? "")
      + "\"name\":\(JSONText.quoted(name))\(rest)\(args.map { ",\"args\":" + $0 } ?? "")}"
  }

  /// Returns nanoseconds in the format's unit, microseconds, without rounding.
  static func microseconds(_ nanoseconds: Int) -> String {
    let fraction = String(abs(nanoseconds) % 1000)
    return (nanoseconds < 0 ? "-" : "") + String(abs(nanoseconds) / 1000) + "."
      + String(repeating: "0", count: 3 - fraction.count) + fraction
  }
}
