import CommandInterface
import ImageCore
import ImagePipeline
import LuaBindings
import PluginCodecs
import PluginHost
import Reporting

/// `imghost plugins`.
enum PluginsCommand: Command {
  static let name = "plugins"
  static let summary = "list the installed plugins, and files that are not usable as plugins"
  static let operands = ""
  static let maximumOperands = 0
  static let options = [CommandOption.json]
  static let details = """
    imghost looks for plugins in the folders of IMGHOST_PLUGIN_PATH (separated by colons), beside
    the program, and in ../lib/imghost/plugins from there. It looks for Lua plugins (*.lua) also in
    the folder 'plugins' beside the script; this command takes the current folder for the script's.
    It looks for frei0r plugins in the folders of FREI0R_PATH, in /usr/lib/frei0r-1,
    /usr/local/lib/frei0r-1, the system's library folder, and ~/.frei0r-1/lib.

    A separate process describes each native plugin. The description is cached in
    $XDG_CACHE_HOME/imghost/plugins or ~/.cache/imghost/plugins.

    The last line names the measures that isolate plugins on this machine; each is tested first.

    --json prints one object with "plugins" and "isolation". In "plugins", "library" is native,
    frei0r or lua, and "faults" is null unless 'imghost plugin check' has checked the plugin. In
    "isolation", "enforced" and "missing" list the measures.
    """

  static func run(_ line: ParsedLine) throws(UsageError) -> ExitStatus {
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
      } else if let plugin = try? listing.outcome.get(), let codec = plugin.codec {
        Terminal.output(describe(codec, of: plugin, path: listing.path + checked(listing.verdict)))
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
      Terminal.error("imghost plugins: no plugins found; see 'imghost plugins --help'")
    }
    return .success
  }

  /// The findings of `imghost plugin check` in a few words.
  private static func checked(_ verdict: PluginVerdict?) -> String {
    guard let verdict else { return "" }
    let found =
      verdict.isGood
      ? "no faults" : "faults: " + verdict.faults.joined(separator: ", ")
    return "; checked: " + found
      + (verdict.wantsOneAtATime ? "; one call at a time" : "")
      + (verdict.allowsStrips ? "; large pictures in strips" : "")
  }

  private static func json(_ listing: PluginListing) -> JSON {
    let plugin = try? listing.outcome.get()
    let kind =
      switch plugin?.kind {
      case .filter?: "filter"
      case .source?: "source"
      case .mixer?: "mixer"
      case .codec?: "codec"
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
      // The picture that it is called on counts, too.
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
    "\(printable(plugin.name)): \(printable(plugin.summary))\n  \(printable(path))"
      + call(ScriptReference.plugin(plugin).call, plugin.parameters)
  }

  private static func describe(_ codec: CodecDescription, of plugin: PluginDescription, path: String) -> String {
    let ending = codec.extensions[0]
    let head =
      "\(printable(plugin.name)): \(printable(plugin.summary)), version \(printable(plugin.version))\n  "
      + printable(path)
    if plugin.name == CodecPlugins.colourName { return head + "\n  used where colours are converted, as by to_profile" }
    return head + "\n  files: " + codec.extensions.map { "." + $0 }.joined(separator: " ")
      + (codec.reads ? call("img.open(\"photo.\(ending)\", { … })", codec.readParameters.map(\.descriptor)) : "")
      + (codec.writes
        ? call("pictures:save(\"{stem}.\(ending)\", { … })", plugin.parameters.map(\.descriptor)) : "")
  }

  /// A call on a line of its own, and its options below.
  private static func call(_ text: String, _ parameters: [ParameterDescriptor]) -> String {
    let rows = parameters.map { ("    \($0.name)", "\($0.help) (\($0.facts))") }
    return "\n  " + printable(text)
      + (rows.isEmpty ? "" : "\n" + printable(HelpText.table(rows), keepingLines: true))
  }
}
