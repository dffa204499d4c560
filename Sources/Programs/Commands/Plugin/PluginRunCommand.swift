import CommandInterface
import ImagePipeline
import OneLiners
import Reporting

/// `imghost plugin run`: calls a plugin once. Messages about failed plugins quote this command, so that users can
/// repeat the call.
enum PluginRunCommand: Command {
  static let name = "plugin run"
  static let summary = "run a plugin once: a filter on one picture, a mixer on several, a source on none"
  static let operands = "NAME [IN…] OUT"
  static let maximumOperands = 10
  static let options = [
    CommandOption(
      name: "--set", value: "KEY=VALUE",
      help: "set a parameter: strength=0.3, on=true, centre=0.5,0.5, text='\"5\"'",
      repeats: true),
    CommandOption(
      name: "--in-process", value: nil,
      help: "run it in imghost's own process, without isolation, as for a debugger"),
    WorkerCommand.option,
  ]
  static let details = """
    The plugin gets the decoded picture IN unchanged. The name of OUT decides the format. A source
    takes no IN, but a size: --set width=640 --set height=480. A mixer takes several IN, in order.

    Exit status: as for 'imghost run'.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let plugin = try line.operand(0, "NAME")
    _ = try line.operand(1, "OUT")
    let inputs = line.operands.count - 2
    if let mistake = mistake(plugin, inputs: inputs) { throw .other(mistake) }
    let keys = line.values("--set").map { String($0.prefix { $0 != "=" }) }
    for key in keys where !isName(key) { throw .badValue(option: "--set", value: key, expected: "NAME=VALUE") }
    return try ScriptRunner.run(
      line, options: RunOptions(),
      reporter: RunReporter(
        asJSON: false, showsProgress: false, words: { Self.words($0, plugin) }),
      text: ScriptRunner.Text(
        name: plugin, source: Array(script(plugin, keys, inputs: inputs).utf8),
        arguments: Array(line.operands.dropFirst())))
  }

  /// Returns the mistake in the number of pictures, so that OUT is never read as a picture, and no IN is overwritten;
  /// nil if the number is right. Also nil for Lua plugins and unknown ones: the script reports mistakes in their calls.
  private static func mistake(_ plugin: String, inputs: Int) -> String? {
    let host = HostEnvironment()
    defer { host.invalidate() }
    guard let kind = host.plugins.description(named: plugin)?.kind, kind.inputCount != inputs else {
      return nil
    }
    let names = (0..<kind.inputCount).map { kind.inputCount == 1 ? "IN" : "IN\($0 + 1)" }
    let usage = (["imghost plugin run", plugin] + names + ["OUT"]).joined(separator: " ")
    let takes = ["no pictures", "1 picture"]
    return "'\(printable(plugin))' takes "
      + (kind.inputCount < 2 ? takes[kind.inputCount] : "\(kind.inputCount) pictures")
      + ", not \(inputs): \(printable(usage))"
  }

  /// Returns a message without the line numbers of the script.
  private static func words(_ diagnostic: Diagnostic, _ script: String) -> String {
    guard diagnostic.position?.file == script else { return diagnostic.text }
    return Diagnostic(
      diagnostic.kind, at: nil, subject: diagnostic.subject, file: diagnostic.file, message: diagnostic.message
    ).text
  }

  private static func isName(_ key: String) -> Bool { !key.isEmpty && key.utf8.allSatisfy(ArgumentItem.isOfName) }

  /// Returns the call as a script. Its settings are the plugin's parameters, and its arguments are IN and OUT.
  private static func script(_ plugin: String, _ keys: [String], inputs: Int) -> String {
    let others = (1..<max(inputs, 1)).map { " img.open(arg[\($0 + 1)])," }.joined()
    let call = inputs == 0 ? "img.plugin" : "img.open(arg[1]):plugin"
    return """
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
      \(call)(\(LuaLiteral.quoted(plugin)),\(others) {
      \(keys.map { "  [\"\($0)\"] = value(img.settings[\"\($0)\"])," }.joined(separator: "\n"))
      }):save(arg[\(inputs + 1)])
      """
  }
}
