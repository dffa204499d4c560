import CommandInterface
import ImageCore
import ImagePipeline
import Reporting

enum PlanCommand: Command {
  static let name = "plan"
  static let summary = "divide a script into shards for several machines"
  static let operands = "SCRIPT [ARGS…]"
  static let leavesRestToScript = true
  static let options =
    ScriptOptions.all + sizes + [
      CommandOption(name: "--json", value: nil, help: "print one JSON object for each shard")
    ]
  /// The options that set the number of shards.
  static let sizes = [
    CommandOption(name: "--shards", value: "N", help: "the number of shards"),
    CommandOption(
      name: "--minutes", value: "M", help: "as many shards as take M minutes each, by prediction, on --jobs workers"),
  ]
  static let details = """
    Without --shards and --minutes, shards of 10 minutes are planned. Predictions come from the
    headers of the pictures; nothing is written.

    Run each shard with 'imghost run --shard K/N', on any machine that sees the pictures and the
    folder of --out, and put everything together with 'imghost merge'.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    var options = RunOptions()
    options.isDryRun = true
    let count = try count(line)
    let reporter = RunReporter(asJSON: false, showsProgress: false, printsPlan: false)
    return try ScriptRunner.run(line, options: options, reporter: reporter, part: .plan(count)) { run, status in
      guard status == .success else { return }
      let plans = run.shardPlan().shards
      for text in line.has("--json") ? plans.map(\.json.line) : ShardPlan.table(plans) { Terminal.output(text) }
    }
  }

  /// Returns the number of shards that the options request. By default, each shard takes about 10 minutes.
  static func count(_ line: ParsedLine) throws(UsageError) -> ShardCount {
    let number = try line.count("--shards", atMost: ShardIndex.most)
    let minutes = try line.value("--minutes").map { text throws(UsageError) in
      guard let minutes = Double(text), minutes > 0, minutes < 1e6 else {
        throw UsageError.badValue(option: "--minutes", value: text, expected: "minutes, such as 10 or 0.5")
      }
      return minutes
    }
    guard number == nil || minutes == nil else {
      throw .other("--shards and --minutes contradict each other; give one of them")
    }
    return number.map { ShardCount.number($0) } ?? .seconds((minutes ?? 10) * 60)
  }
}

extension ShardPlan {
  var json: JSON {
    .object([
      ("shard", .integer(number)), ("pictures", .integer(pictures)), ("files", .integer(files)),
      ("pages", .integer(pages)), ("seconds", .number((seconds * 1000).rounded() / 1000)),
      ("memory", .integer(byteCount)), ("first", .optional(first)),
    ])
  }

  static func table(_ plans: [ShardPlan]) -> [String] {
    let rows =
      [["shard", "pictures", "files", "pages", "seconds", "memory", "first picture"]]
      + plans.map { plan in
        [
          "\(plan.number)/\(plans.count)", "\(plan.pictures)", "\(plan.files)", "\(plan.pages)",
          SummaryLine.decimal(plan.seconds), SummaryLine.size(plan.byteCount), plan.first.map { printable($0) } ?? "-",
        ]
      }
    let widths = (0..<rows[0].count).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.indices.map { column in
        // Texts are aligned left, numbers right.
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        if column == row.count - 1 { return row[column] }
        return column == 0 ? row[column] + space : space + row[column]
      }.joined(separator: "  ")
    }
  }
}
