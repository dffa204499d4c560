/// The progress of a run on one line: `[#####     ] 23/48 pictures, 17.2 a second, 2 s left`.
package enum ProgressLine {
  /// - Parameters:
  ///   - before: the number of pictures in `done` that were finished before the period of `seconds` began.
  ///   - prefix: further facts, printed first.
  package static func text(
    done: Int, of total: Int, before: Int = 0, seconds: Double, width: Int, prefix: String = ""
  ) -> String {
    var facts = prefix + "\(done)/\(total) pictures"
    if done > before, seconds > 0.2 {
      let rate = Double(done - before) / seconds
      facts += ", \(SummaryLine.decimal(rate)) a second"
      if done < total { facts += ", \(duration(Double(total - done) / rate)) left" }
    }
    let room = width - facts.count - 4
    guard room >= 10, total > 0 else { return String(facts.prefix(max(0, width - 1))) }
    let bar = min(room, 30)
    let filled = bar * done / total
    return "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: bar - filled) + "] " + facts
  }

  package static func duration(_ seconds: Double) -> String {
    let whole = Int(seconds.rounded(.up))
    if whole < 60 { return "\(whole) s" }
    let minutes = whole / 60
    return minutes < 60 ? "\(minutes) min \(whole % 60) s" : "\(minutes / 60) h \(minutes % 60) min"
  }
}
