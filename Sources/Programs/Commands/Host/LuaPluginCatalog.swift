import CommandInterface
import ImageCore
import ImagePipeline
import LuaBindings
import LuaRuntime
import Platform
import Scheduling

/// Loads Lua plugins without a script: for lists, help and editor stubs.
enum LuaPluginCatalog {
  /// The limits of time and memory for one session, which may read all files with plugins.
  private static let limits = LuaLimits(memoryBytes: 64 << 20, seconds: 2)

  /// Lists the plugins of `files`; by default, of all files on the search path and in the folder `plugins` of the
  /// current folder. The list ends with the first file that exceeds the limits or stops the run.
  static func list(_ host: HostEnvironment, _ files: LuaPluginFiles? = nil) -> [LuaPluginListing] {
    session(host, files).session.listPlugins()
  }

  /// Calls a plugin on pictures of two sizes, with its defaults, and with sample values of each optional parameter: see
  /// `literals`.
  ///
  /// - Returns: the messages about mistakes.
  static func tryOut(_ plugin: OperationDescriptor, _ host: HostEnvironment, _ files: LuaPluginFiles) -> [String] {
    let (run, session) = session(host, files)
    var script = "local img = require 'imghost'\nlocal p = img.canvas(64, 48)\n"
    script += "local q = img.canvas(1, 1)\nlocal kept = {}\n"
    let required = plugin.parameters.filter(\.isRequired).compactMap { parameter in
      literals(parameter.kind).first.map { "[\"\(parameter.name)\"] = \($0)" }
    }
    func call(_ options: [String]) -> String {
      let options = (required + options).joined(separator: ", ")
      return "kept[#kept + 1] = p:plugin('\(plugin.name)', { \(options) }).width\n"
        + "kept[#kept + 1] = q:plugin('\(plugin.name)', { \(options) }).width\n"
    }
    script += call([])
    for parameter in plugin.parameters where !parameter.isRequired {
      for literal in literals(parameter.kind) { script += call(["[\"\(parameter.name)\"] = \(literal)"]) }
    }
    do throws(ScriptSession.Failure) {
      try session.execute(source: Array(script.utf8), name: "check", arguments: [])
    } catch .script(let diagnostic) {
      return [diagnostic.text]
    } catch {
      return run.graph.mistakes.map(\.text)
    }
    return run.graph.mistakes.map(\.text)
  }

  /// Returns values to try as Lua literals: both ends of a range, all choices, or samples of other kinds.
  private static func literals(_ kind: ParameterKind) -> [String] {
    switch kind {
    case .boolean: ["true", "false"]
    case .booleanOrInteger(let range): ["true", "false", "\(range.lowerBound)", "\(range.upperBound)"]
    case .integer(let range): ["\(range.lowerBound)", "\(range.upperBound)"]
    case .side(let range): ["\(range.lowerBound)", "\(range.upperBound)", "'100%'"]
    case .number(let range): ["\(range.lowerBound)", "\(range.upperBound)"]
    case .numberOrShare(let range): ["\(range.lowerBound)", "\(range.upperBound)", "'100%'"]
    case .choice(let names): names.map { "[==[\($0)]==]" }
    case .choiceOrList(let names, let name, let items):
      names.map { "[==[\($0)]==]" } + items.map { "{ \(name) = { [==[\($0)]==] } }" }
    case .text: ["''", "'%n'"]
    case .colour: ["'#00000000'", "'#ffffffff'"]
    case .numbers(let counts):
      ["{ \(Array(repeating: "0", count: counts.lowerBound).joined(separator: ", ")) }"]
    case .lengths: ["0"]
    case .byteCount: ["1"]
    case .fields, .data, .texts, .textList: ["{}"]
    case .picture: ["img.canvas(5, 5)"]
    case .jobs: []
    }
  }

  private static func session(_ host: HostEnvironment, _ files: LuaPluginFiles?) -> (run: Run, session: ScriptSession) {
    var options = RunOptions()
    options.isDryRun = true
    let scheduler = Scheduler(Scheduler.Configuration(workers: 1, memoryBudget: 64 << 20))
    let run = Run(
      environment: host.environment, options: options, scheduler: scheduler,
      cancellation: CancellationToken(), observer: { _ in })
    let session = ScriptSession(
      run: run,
      options: ScriptSession.Options(
        version: CommandList.version, settings: [:], limits: limits,
        plugins: files ?? host.luaPlugins),
      onPrint: { _ in },
      onOverrun: { message in
        Terminal.error("imghost: a Lua plugin: \(message)")
        _exit(ExitStatus.someFailed.rawValue)
      })
    return (run, session)
  }
}
