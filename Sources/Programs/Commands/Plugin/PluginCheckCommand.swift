import CommandInterface
import ImageCore
import ImagePipeline
import LuaBindings
import PluginCodecs
import PluginHost
import Reporting
import Synchronization

enum PluginCheckCommand: Command {
  static let name = "plugin check"
  static let summary = "test a plugin for crashes, hangs, sizes, parameters, threads and leaks"
  static let operands = "FILE|NAME [PICTURE…]"
  static let options = [
    CommandOption.json,
    CommandOption(
      name: "--deadline", value: "SECONDS", help: "time limit of one call", defaultValue: "10"),
    WorkerCommand.option,
  ]
  static let details = """
    The plugin runs in separate processes. The result is cached by the file's hash in
    $XDG_CACHE_HOME or ~/.cache, and later runs use it. A plugin that crashes, hangs, leaves its
    memory, grows, or gives different results in threads gets one call at a time. If a plugin gives
    the same result in strips, several processes may share a large picture. A Lua plugin is loaded
    and called with its defaults and with the ends of its ranges.

    A codec is tested with the PICTUREs, and with files that it writes itself: whole, cut at every
    1/64, with flipped bits and false sizes, by pages, regions, strips and reduced. If it replaces
    metadata without encoding pixels, its files are compared with encoded ones.

    Exit status: 0 no faults; 1 faults; 2 wrong usage.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let operand = try line.operand(0, "FILE")
    let seconds = try line.seconds("--deadline") ?? 10
    let command = try WorkerCommand.value(line)
    let isFile = PathName.folder(operand) != nil || operand.hasSuffix(".so") || operand.hasSuffix(".lua")
    let path = try isFile ? operand : file(ofPlugin: operand)
    if path.hasSuffix(".lua") { return checkLua(path, line) }
    if let codec = try codec(at: path, .seconds(seconds), command) {
      return report(try check(codec, Array(line.operands.dropFirst())), line, path)
    }
    guard line.operands.count == 1 else { throw .other("'\(line.operands[1])': only a codec is tested with files") }
    // These lines are printed last, because a closed pipe ends this process, and the verdict must be cached first.
    let printed = PrintedLines()
    defer { for line in printed.all { Terminal.error(printable("\(path): \(line)")) } }
    do throws(PluginRefusal) {
      let check = try PluginCheck(
        file: absolute(path), worker: Executable.worker,
        deadline: .seconds(seconds), command: command, cacheFolder: HostEnvironment.descriptionFolder,
        onPrinted: { printed.add($0) })
      let verdict = check.run()
      // A verdict under `--worker-command` is not stored: nothing was confined, and time and memory include those of
      // the command.
      if command == nil { VerdictCache.standard.keep(verdict, ofFile: path) }
      return report(verdict, line, path)
    } catch {
      return refuse("\(path) \(error)", line, path)
    }
  }

  /// Returns the codec in a library, with workers of its own; nil if the library contains none that can be used.
  private static func codec(at path: String, _ deadline: Duration, _ command: String?) throws(UsageError)
    -> PluginCodec?
  {
    let absolute = absolute(path)
    var configuration = PluginHost.Configuration(
      searchPath: [PluginFolder(path: PathName.folder(absolute).map(String.init) ?? ".")],
      worker: Executable.worker)
    configuration.deadline = deadline
    configuration.workersPerPlugin = 1
    configuration.workerCommand = command
    let host = PluginHost(configuration)
    let name = PathName.name(absolute)
    return CodecRegistry(host).all.first { PathName.name($0.library.path) == name }
  }

  private static func check(_ codec: PluginCodec, _ pictures: [String]) throws(UsageError) -> PluginVerdict {
    var samples: [CodecCheck.Sample] = []
    for path in pictures {
      do throws(FileError) {
        let file = try InputFile(path: path)
        samples.append(CodecCheck.Sample(name: path, bytes: try file.bytes(at: 0, count: file.byteCount)))
      } catch { throw .other("\(printable(path)): \(error)") }
    }
    var check = CodecCheck(codec)
    return check.run(samples)
  }

  /// Returns the path, with `./` before a name without a slash, which `dlopen(3)` would search for in other folders.
  private static func absolute(_ path: String) -> String { PathName.folder(path) == nil ? "./" + path : path }

  private static func file(ofPlugin name: String) throws(UsageError) -> String {
    let host = HostEnvironment()
    defer { host.invalidate() }
    if let path = host.file(ofPlugin: name) { return path }
    let refusals = host.plugins.refusals(ofPlugin: name).compactMap(\.refusal)
    let reason =
      refusals.isEmpty
      ? "unknown plugin '\(name)'; see 'imghost plugins'"
      : "plugin '\(name)' cannot be used: " + refusals.joined(separator: "; ")
    throw .other(printable(reason))
  }

  /// Loads the Lua plugins of a file and calls them, in the sandbox and with its limits.
  private static func checkLua(_ path: String, _ line: ParsedLine) -> ExitStatus {
    let host = HostEnvironment()
    defer { host.invalidate() }
    let files = LuaPluginFiles(paths: { _ in [path] })
    let found = LuaPluginCatalog.list(host, files)
    var rows: [PluginVerdict.Row] = []
    var names: [String] = []
    for listing in found {
      switch listing.outcome {
      case .failure(let refusal): return refuse("\(path) \(refusal)", line, path)
      case .success(let plugin):
        names.append(plugin.name)
        let mistakes = LuaPluginCatalog.tryOut(plugin, host, files)
        rows.append(
          PluginVerdict.Row(
            .parameters, mistakes.isEmpty ? .good : .bad,
            mistakes.first ?? "called with its defaults and with the ends of its ranges"))
      }
    }
    return report(PluginVerdict(plugin: names.joined(separator: ", "), rows: rows), line, path)
  }

  private static func refuse(_ words: String, _ line: ParsedLine, _ path: String) -> ExitStatus {
    if line.has("--json") {
      Terminal.output(
        JSON.object([
          ("path", .text(path)), ("name", .null), ("good", .boolean(false)),
          ("refusal", .text(words)), ("checks", .array([])),
        ]).line)
    } else {
      Terminal.error(printable(words))
    }
    return .someFailed
  }

  private static func report(_ verdict: PluginVerdict, _ line: ParsedLine, _ path: String) -> ExitStatus {
    if line.has("--json") {
      let checks = verdict.rows.map { row in
        JSON.object([
          ("check", .text(row.property.rawValue)), ("verdict", .text(row.state.rawValue)),
          ("detail", .text(row.detail)),
        ])
      }
      Terminal.output(
        JSON.object([
          ("path", .text(path)), ("name", .text(verdict.plugin)), ("good", .boolean(verdict.isGood)),
          ("refusal", .null), ("checks", .array(checks)),
        ]).line)
    } else {
      let rows = verdict.rows.map { row in
        ("  \(row.property.rawValue)", row.state.rawValue + (row.detail.isEmpty ? "" : ": ") + row.detail)
      }
      let end =
        verdict.isGood ? "no faults" : "faults: " + verdict.faults.joined(separator: ", ")
      Terminal.output(
        printable("\(verdict.plugin) (\(path))\n\(HelpText.table(rows))\n\(verdict.plugin): \(end)", keepingLines: true)
      )
    }
    return verdict.isGood ? .success : .someFailed
  }
}

/// Collects the lines that a plugin prints during the check.
private final class PrintedLines: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
