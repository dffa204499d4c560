import ImageCore
import ImagePipeline
import LuaBindings
import PluginHost
import Synchronization

/// `imghost plugin check`.
enum PluginCheckCommand: Command {
  static let name = "plugin check"
  static let summary = "try a plugin out: crashes, hangs, sizes, parameters, threads, leaks"
  static let operands = "FILE|NAME"
  static let maximumOperands = 1
  static let options = [
    CommandOption.json,
    CommandOption(
      name: "--deadline", value: "SECONDS", help: "how long one call may take; 10 if not given"),
  ]
  static let details = """
    Everything runs in processes of its own. The verdict is kept by the file's hash, in XDG_CACHE_HOME or
    ~/.cache, and used from then on: a plugin that crashes, hangs, leaves its memory, grows, or gives
    another result in threads is never called twice at once, and of one that gives the same in strips
    several processes may share a large picture. A plugin in Lua is read and called.
    Exit status: 0 nothing is wrong; 1 something is; 2 wrong usage.
    """

  static func run(_ line: ParsedLine) -> ExitStatus {
    guard let operand = line.operands.first else { return wrong("FILE is missing; see --help") }
    let seconds: Double
    do throws(UsageError) {
      seconds = try line.seconds("--deadline") ?? 10
    } catch {
      return wrong(error.text)
    }
    let isFile =
      PathName.folder(operand) != nil || operand.hasSuffix(".so") || operand.hasSuffix(".lua")
    let path: String
    switch isFile ? .success(operand) : file(ofPlugin: operand) {
    case .success(let found): path = found
    case .failure(let refusal): return wrong(printable(refusal.reason))
    }
    if path.hasSuffix(".lua") { return report(checkLua(path), line, path) }
    // Told when the verdict is kept: whoever reads it may have gone, which ends this process.
    let printed = PrintedLines()
    defer { for line in printed.all { Terminal.error(printable("\(path): \(line)")) } }
    do throws(PluginRefusal) {
      let check = try PluginCheck(
        file: absolute(path), worker: Executable.sibling("imghost-plugin-worker"),
        deadline: .seconds(seconds), cacheFolder: HostEnvironment.descriptionFolder,
        onPrinted: { printed.add($0) })
      let verdict = check.run()
      VerdictCache.standard.keep(verdict, ofFile: path)
      return report(verdict, line, path)
    } catch {
      return refuse("\(path) \(error)", line, path)
    }
  }

  private static func wrong(_ message: String) -> ExitStatus {
    Terminal.error("imghost plugin check: \(message)")
    return .wrongUsage
  }

  /// `dlopen(3)` looks for a name without a slash elsewhere.
  private static func absolute(_ path: String) -> String {
    PathName.folder(path) == nil ? "./" + path : path
  }

  private static func file(ofPlugin name: String) -> Result<String, PluginFileRefusal> {
    let host = HostEnvironment()
    defer { host.invalidate() }
    let lua = LuaPluginCatalog.list(host).first { (try? $0.outcome.get())?.name == name }?.path
    if let lua { return .success(lua) }
    let native = host.plugins.discover().first { $0.name == name }?.path
    if let native { return .success(native) }
    let refusals = host.plugins.refusals(ofPlugin: name)
    return .failure(
      PluginFileRefusal(
        reason: refusals.isEmpty
          ? "there is no plugin '\(name)'; see 'imghost plugins'"
          : "plugin '\(name)' cannot be used: " + refusals.joined(separator: "; ")))
  }

  /// Description and calls, in Lua's sandbox with its limits.
  private static func checkLua(_ path: String) -> Result<PluginVerdict, PluginFileRefusal> {
    let host = HostEnvironment()
    defer { host.invalidate() }
    let files = LuaPluginFiles(paths: { _ in [path] })
    let found = LuaPluginCatalog.list(host, files)
    var rows: [PluginVerdict.Row] = []
    var names: [String] = []
    for listing in found {
      switch listing.outcome {
      case .failure(let refusal): return .failure(PluginFileRefusal(reason: refusal.reason))
      case .success(let plugin):
        names.append(plugin.name)
        let mistakes = LuaPluginCatalog.tryOut(plugin, host, files)
        rows.append(
          PluginVerdict.Row(
            .parameters, mistakes.isEmpty ? .good : .bad,
            mistakes.first ?? "called with its defaults and with every extreme"))
      }
    }
    return .success(PluginVerdict(plugin: names.joined(separator: ", "), rows: rows))
  }

  private static func report(
    _ result: Result<PluginVerdict, PluginFileRefusal>, _ line: ParsedLine, _ path: String
  ) -> ExitStatus {
    switch result {
    case .success(let verdict): report(verdict, line, path)
    case .failure(let refusal): refuse("\(path) \(refusal.reason)", line, path)
    }
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

  private static func report(_ verdict: PluginVerdict, _ line: ParsedLine, _ path: String)
    -> ExitStatus
  {
    if line.has("--json") {
      let checks = verdict.rows.map { row in
        JSON.object([
          ("check", .text(row.property.rawValue)), ("verdict", .text(row.state.rawValue)),
          ("detail", .text(row.detail)),
        ])
      }
      Terminal.output(
        JSON.object([
          ("path", .text(path)), ("name", .text(verdict.plugin)),
          ("good", .boolean(verdict.isGood)), ("refusal", .null), ("checks", .array(checks)),
        ]).line)
    } else {
      let rows = verdict.rows.map { row in
        (
          "  \(row.property.rawValue)",
          row.state.rawValue + (row.detail.isEmpty ? "" : ": ") + row.detail
        )
      }
      let end =
        verdict.isGood ? "nothing is wrong" : "bad: " + verdict.faults.joined(separator: ", ")
      Terminal.output(
        printable(
          "\(verdict.plugin) (\(path))\n\(HelpText.table(rows))\n\(verdict.plugin): \(end)",
          keepingLines: true))
    }
    return verdict.isGood ? .success : .someFailed
  }
}

/// Why a file has no plugin to try.
struct PluginFileRefusal: Error {
  /// The end of a sentence that starts with the file's name, or a whole one where there is no file.
  let reason: String
}

/// What a plugin prints while it is tried out.
private final class PrintedLines: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
