import CommandInterface

/// The options of all commands that run a script.
enum ScriptOptions {
  static let code = CommandOption(
    name: "--eval", short: "-e", value: "CODE", help: "run Lua code in the place of a script")

  /// Returns the script that `-e` gives on the command line; nil if there is none.
  static func text(_ line: ParsedLine) -> ScriptRunner.Text? {
    line.value(code.name).map { source in
      // The prefix stays on the same line as the code, so that line numbers in messages are those of the code.
      ScriptRunner.Text(
        name: "-e", source: Array(("local img = require \"imghost\"; " + source).utf8), arguments: line.operands)
    }
  }

  static let all = [
    CommandOption(
      name: "--set", value: "KEY=VALUE", help: "set a setting of the script: img.settings.KEY",
      repeats: true, namesSetting: true),
    CommandOption(
      name: "--jobs", short: "-j", value: "N", help: "number of workers",
      defaultValue: "the available processors"),
    CommandOption(
      name: "--memory", value: "SIZE",
      help: "memory for pictures in work, such as 512M", defaultValue: "half of the free memory"),
    CommandOption(
      name: "--script-time", value: "SECONDS",
      help: "time limit of the script itself, without waiting", defaultValue: "30"),
    CommandOption(
      name: "--script-memory", value: "SIZE",
      help: "memory limit of the script and of what it describes", defaultValue: "768M"),
    TrustedOwners.option,
    CommandOption(
      name: "--timeout", value: "SECONDS",
      help: "stop the run after this time", defaultValue: "no limit"),
  ]

  /// Returns the values of `--set` by the names of the settings.
  static func settings(_ line: ParsedLine) throws(UsageError) -> [String: String] {
    var settings: [String: String] = [:]
    for pair in line.values("--set") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2, !halves[0].isEmpty else {
        throw .badValue(option: "--set", value: pair, expected: "KEY=VALUE")
      }
      settings[String(halves[0])] = String(halves[1])
    }
    return settings
  }
}
