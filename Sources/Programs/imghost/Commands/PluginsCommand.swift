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
    The last line tells what keeps plugins apart on this machine, found out by trying. With --json one
    object: "plugins", a list in which "library" is native, frei0r or lua and "faults" is null for what
    'imghost plugin check' has not tried, and "isolation", what is "enforced" and what is "missing".
    """

  static func run(_ line: ParsedLine) -> ExitStatus {
    let host = HostEnvironment()
    defer { host.invalidate() }
    let listings = host.plugins.discover()
    let lua = LuaPluginCatalog.list(host)
    if line.has("--json") {
      let isolation = host.plugins.isolation()
      Terminal.output(
        JSON.object([
          ("plugins", .array(listings.map(json) + lua.map(json))),
          (
            "isolation",
            .object([
              ("enforced", .array(isolation.enforced.map { .text($0) })),
              ("missing", .array(isolation.missing.map { .text($0) })),
            ])
          ),
        ]).line)
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
    let found =
      verdict.isGood
      ? "nothing is wrong" : "bad: " + verdict.faults.joined(separator: ", ")
    return "; checked: " + found
      + (verdict.wantsOneAtATime ? "; called once at a time" : "")
      + (verdict.allowsStrips ? "; large pictures in parts" : "")
  }

  private static func json(_ listing: PluginListing) -> JSON {
    let plugin = try? listing.outcome.get()
    let kind =
      switch plugin?.kind {
      case .filter?: "filter"
      case .source?: "source"
      case .mixer?: "mixer"
      case nil: String?.none
      }
    return .object([
      ("path", .text(listing.path)), ("name", .optional(listing.name)),
      ("refusal", .optional(listing.refusal)),
      ("library", .text(listing.isFrei0r ? "frei0r" : "native")), ("kind", .optional(kind)),
      ("inputs", .optional(plugin?.kind.inputCount)), ("formats", .optional(plugin?.formats)),
      ("faults", listing.verdict.map { .array($0.faults.map { .text($0) }) } ?? .null),
    ])
  }

  private static func json(_ listing: LuaPluginListing) -> JSON {
    var (name, refusal, inputs): (String?, String?, Int?)
    switch listing.outcome {
    case .success(let plugin):
      name = plugin.name
      // The picture it is called on, and those among its options.
      inputs = 1 + plugin.parameters.count { if case .picture = $0.kind { true } else { false } }
    case .failure(let reason): refusal = "\(listing.path) \(reason.reason)"
    }
    return .object([
      ("path", .text(listing.path)), ("name", .optional(name)), ("refusal", .optional(refusal)),
      ("library", .text("lua")), ("kind", .optional(inputs.map { $0 == 1 ? "filter" : "mixer" })),
      ("inputs", .optional(inputs)), ("formats", .null), ("faults", .null),
    ])
  }

  private static func describe(_ plugin: OperationDescriptor, path: String) -> String {
    let rows = plugin.parameters.map { ("    \($0.name)", "\($0.help) (\($0.facts))") }
    return "\(printable(plugin.name)): \(printable(plugin.summary))\n  \(printable(path))\n  "
      + printable(ScriptReference.plugin(plugin).call)
      + (rows.isEmpty ? "" : "\n" + printable(HelpText.table(rows), keepingLines: true))
  }
}
