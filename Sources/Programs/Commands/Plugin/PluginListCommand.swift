import CommandInterface
import ImageCore
import ImagePipeline
import PluginHost
import Reporting

enum PluginListCommand: Command {
  static let name = "plugin list"
  static let summary = "list the plugins, a line each, or show one"
  static let operands = "[NAME]"
  static let maximumOperands = 1
  static let options = [CommandOption.json]
  static let details = """
    A line has the name, the version, the kind and a summary. With NAME, the output shows the file, the
    call and the options of this plugin. 'imghost plugins' shows all of them so.

    --json prints an array of the objects that 'imghost plugins --json' prints.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
    let host = HostEnvironment()
    defer { host.invalidate() }
    var listings = PluginListings(host)
    if let name = line.operands.first {
      listings = listings.named(name)
      guard !listings.isEmpty else { throw .other(unknown(name, host)) }
      guard line.has("--json") else {
        for text in listings.descriptions(host) { Terminal.output(text) }
        return .success
      }
    }
    if line.has("--json") {
      Terminal.output(JSON.array(listings.json).line)
      return .success
    }
    let entries = listings.entries
    let plugins = entries.compactMap(\.plugin).sorted { $0.name < $1.name }
    if !plugins.isEmpty { Terminal.output(printable(table(plugins), keepingLines: true)) }
    for refusal in entries.compactMap(\.refusal) { Terminal.error(printable(refusal)) }
    if entries.isEmpty { Terminal.error("imghost plugin list: no plugins found; see 'imghost plugins --help'") }
    return .success
  }

  /// Returns a table whose columns are as wide as their longest text.
  private static func table(_ plugins: [PluginEntry.Plugin]) -> String {
    let rows = plugins.map { [$0.name, $0.version, $0.kind, $0.summary] }
    let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count + 2) }.joined() + row[3]
    }.joined(separator: "\n")
  }

  /// Returns the message for an unknown plugin name.
  static func unknown(_ name: String, _ host: HostEnvironment) -> String {
    let names = PluginListings(host).entries.compactMap { $0.plugin?.name }
    let hint = Suggestion.nearest(to: name, in: names).map { " (did you mean '\($0)'?)" } ?? ""
    let refusals = host.plugins.refusals(ofPlugin: name).compactMap(\.refusal)
    guard refusals.isEmpty else {
      return printable("plugin '\(name)' cannot be used: " + refusals.joined(separator: "; "))
    }
    return "unknown plugin '\(printable(name))'\(hint); see 'imghost plugin list'"
  }
}
