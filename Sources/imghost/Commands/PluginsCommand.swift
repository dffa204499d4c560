import ImageCore
import ImagePipeline
import LuaBindings
import PluginHost

/// `imghost plugins`.
enum PluginsCommand: Command {
  static let name = "plugins"
  static let summary = "list the plugins that are found, and files that are none"
  static let operands = ""
  static let maximumOperands = 0
  static let options = [CommandOption.json]
  static let details = """
    Plugins are looked for in the folders of IMGHOST_PLUGIN_PATH (separated by colons), beside the
    program, and in ../lib/imghost/plugins from there; those written in Lua (*.lua) also in a folder
    'plugins' beside the script, here the current folder's; frei0r plugins in the folders of
    FREI0R_PATH, in /usr/lib/frei0r-1, /usr/local/lib/frei0r-1, the system's library folder, and
    ~/.frei0r-1/lib. Each native one is described by a process of its own, whose answer is kept in
    $XDG_CACHE_HOME/imghost/plugins or ~/.cache/imghost/plugins.
    The last line tells what keeps plugins apart on this machine, found out by trying.
    """

  static func run(_ line: ParsedLine) -> ExitStatus {
    let host = HostEnvironment()
    defer { host.invalidate() }
    let listings = host.plugins.discover()
    let lua = LuaPluginCatalog.list(host)
    if line.has("--json") {
      let items = listings.map { listing -> JSON in
        .object([
          ("path", .text(listing.path)), ("name", .optional(listing.name)),
          ("refusal", .optional(listing.refusal)), ("language", .text("native")),
        ])
      }
      Terminal.output(JSON.array(items + lua.map(json)).line)
      return .success
    }
    for listing in listings {
      if let refusal = listing.refusal {
        Terminal.error(printable(refusal))
      } else if let name = listing.name, let plugin = host.plugins.definition(named: name) {
        Terminal.output(
          describe(plugin.descriptor, path: listing.path + checked(listing.verdict)))
      }
    }
    for listing in lua {
      switch listing.outcome {
      case .success(let plugin): Terminal.output(describe(plugin, path: listing.path))
      case .failure(let refusal):
        Terminal.error(printable("\(listing.path) \(refusal.reason)"))
      }
    }
    Terminal.output("isolation: " + printable(host.plugins.isolation().summary))
    if listings.isEmpty && lua.isEmpty {
      Terminal.error("imghost plugins: no plugins were found; see --help")
    }
    return .success
  }

  /// What 'imghost plugin check' found, in a few words.
  private static func checked(_ verdict: PluginVerdict?) -> String {
    guard let verdict else { return "" }
    return verdict.isGood
      ? "; checked: nothing is wrong"
      : "; checked: bad: " + verdict.faults.joined(separator: ", ")
        + (verdict.wantsOneAtATime ? "; called once at a time" : "")
  }

  private static func json(_ listing: LuaPluginListing) -> JSON {
    var (name, refusal): (String?, String?)
    switch listing.outcome {
    case .success(let plugin): name = plugin.name
    case .failure(let reason): refusal = "\(listing.path) \(reason.reason)"
    }
    return .object([
      ("path", .text(listing.path)), ("name", .optional(name)), ("refusal", .optional(refusal)),
      ("language", .text("lua")),
    ])
  }

  private static func describe(_ plugin: OperationDescriptor, path: String) -> String {
    let rows = plugin.parameters.map { ("    \($0.name)", "\($0.help) (\($0.facts))") }
    return "\(printable(plugin.name)): \(printable(plugin.summary))\n  \(printable(path))\n  "
      + printable(ScriptReference.plugin(plugin).call)
      + (rows.isEmpty ? "" : "\n" + printable(HelpText.table(rows), keepingLines: true))
  }
}
