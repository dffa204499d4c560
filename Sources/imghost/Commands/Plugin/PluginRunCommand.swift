import ImagePipeline

/// `imghost plugin run`: one call, as a message about a plugin that failed tells how to repeat it.
enum PluginRunCommand: Command {
  static let name = "plugin run"
  static let summary = "run a plugin on one picture"
  static let operands = "NAME IN OUT"
  static let maximumOperands = 3
  static let options = [
    CommandOption(
      name: "--set", value: "KEY=VALUE",
      help: "a parameter: strength=0.3, on=true, centre=0.5,0.5, text='\"5\"'", repeats: true),
    CommandOption(
      name: "--in-process", value: nil,
      help: "run it in imghost's own process, unprotected: under a debugger, say"),
  ]
  static let details = """
    IN is decoded whole and handed to the plugin as it is; OUT is written in the format of its name.
    Exit status as of 'imghost run'.
    """

  static func run(_ line: ParsedLine) -> ExitStatus {
    guard line.operands.count == 3 else {
      let missing = ["NAME", "IN", "OUT"][line.operands.count]
      Terminal.error("imghost plugin run: " + UsageError.missingOperand(missing).text)
      return .wrongUsage
    }
    let keys = line.values("--set").map { String($0.prefix { $0 != "=" }) }
    for key in keys where !isName(key) {
      Terminal.error(
        "imghost plugin run: "
          + UsageError.badValue(option: "--set", value: key, expected: "NAME=VALUE").text)
      return .wrongUsage
    }
    return ScriptRunner.run(
      line, command: "plugin run", options: RunOptions(),
      reporter: RunReporter(asJSON: false, showsProgress: false),
      script: Array(script(line.operands[0], keys).utf8))
  }

  private static func isName(_ key: String) -> Bool {
    !key.isEmpty && key.utf8.allSatisfy { $0 == 0x5f || isalnum($0) }
  }

  private static func isalnum(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
  }

  /// The call as a script; its settings are the plugin's parameters, its arguments IN and OUT.
  private static func script(_ plugin: String, _ keys: [String]) -> String {
    """
    local img = require "imghost"
    local function value(text)
      if text == "true" or text == "false" then return text == "true" end
      if tonumber(text) then return tonumber(text) end
      if text:match('^".*"$') then return text:sub(2, -2) end
      local list = {}
      for part in (text .. ","):gmatch("([^,]*),") do
        local number = tonumber(part)
        if not number then return text end
        list[#list + 1] = number
      end
      return list
    end
    img.open(arg[1]):plugin(\(quoted(plugin)), {
    \(keys.map { "  [\(quoted($0))] = value(img.settings[\(quoted($0))])," }.joined(separator: "\n"))
    }):save(arg[2])
    """
  }

  /// A literal of Lua's, byte by byte.
  private static func quoted(_ text: String) -> String {
    "\""
      + text.utf8.map { isalnum($0) || $0 == 0x5f ? String(UnicodeScalar($0)) : "\\\(padded($0))" }
      .joined() + "\""
  }

  private static func padded(_ byte: UInt8) -> String {
    let digits = String(byte)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }
}
