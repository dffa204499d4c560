import CommandInterface
import ImageCore
import ImagePipeline
import LuaBindings
import PluginCodecs
import PluginHost
import Reporting

/// The native and Lua plugins on the search path, as text and as JSON.
struct PluginListings {
  private var natives: [PluginListing]
  private var lua: [LuaPluginListing]

  /// Loads the descriptions of all files on the search path; those of native files from the cache where possible.
  init(_ host: HostEnvironment) {
    natives = host.plugins.discover()
    lua = LuaPluginCatalog.list(host)
  }

  var isEmpty: Bool { natives.isEmpty && lua.isEmpty }
  var entries: [PluginEntry] { natives.map(PluginEntry.init) + lua.map(PluginEntry.init) }
  var json: [JSON] { natives.map(Self.json) + lua.map(Self.json) }

  /// Returns only the plugins with this name: at most one.
  func named(_ name: String) -> PluginListings {
    var listings = self
    listings.natives = natives.filter { $0.name == name }
    listings.lua = lua.filter { (try? $0.outcome.get())?.name == name }
    return listings
  }

  /// Returns the long description of each plugin: its summary, file, call and options.
  func descriptions(_ host: HostEnvironment) -> [String] {
    natives.compactMap { listing -> String? in
      guard let plugin = try? listing.outcome.get() else { return nil }
      let path = listing.path + Self.checked(listing.verdict)
      if let codec = plugin.codec { return Self.describe(codec, of: plugin, path: path) }
      return host.plugins.definition(named: plugin.name).map {
        Self.describe($0.descriptor, version: plugin.version, path: path)
      }
    }
      + lua.compactMap { listing in
        (try? listing.outcome.get()).map { Self.describe($0, version: listing.version, path: listing.path) }
      }
  }

  /// Returns a short summary of the findings of `imghost plugin check`.
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
    return .object([
      ("path", .text(listing.path)), ("name", .optional(listing.name)), ("version", .optional(plugin?.version)),
      ("refusal", .optional(listing.refusal)),
      ("library", .text(listing.isFrei0r ? "frei0r" : "native")), ("kind", .optional(plugin?.kind.name)),
      ("inputs", .optional(plugin?.kind.inputCount)), ("formats", .optional(plugin?.formats)),
      ("faults", listing.verdict.map { .array($0.faults.map { .text($0) }) } ?? .null),
    ])
  }

  private static func json(_ listing: LuaPluginListing) -> JSON {
    let plugin = try? listing.outcome.get()
    let entry = PluginEntry(listing)
    return .object([
      ("path", .text(listing.path)), ("name", .optional(plugin?.name)),
      ("version", plugin == nil || listing.version.isEmpty ? .null : .text(listing.version)),
      ("refusal", .optional(entry.refusal)), ("library", .text("lua")), ("kind", .optional(plugin?.luaKind.name)),
      ("inputs", .optional(plugin?.luaKind.inputCount)), ("formats", .null), ("faults", .null),
    ])
  }

  private static func describe(_ plugin: OperationDescriptor, version: String, path: String) -> String {
    "\(printable(plugin.name)): \(printable(plugin.summary))"
      + (version.isEmpty ? "" : ", version \(printable(version))") + "\n  \(printable(path))"
      + call(ScriptReference.plugin(plugin).call, plugin.parameters)
  }

  private static func describe(_ codec: CodecDescription, of plugin: PluginDescription, path: String) -> String {
    let ending = codec.extensions[0]
    let head =
      "\(printable(plugin.name)): \(printable(plugin.summary)), version \(printable(plugin.version))\n  "
      + printable(path)
    if plugin.name == CodecRegistry.colourName {
      return head + "\n  used where colours are converted, as by to_profile"
    }
    return head + "\n  files: " + codec.extensions.map { "." + $0 }.joined(separator: " ")
      + (codec.reads ? call("img.open(\"photo.\(ending)\", { … })", codec.readParameters.map(\.descriptor)) : "")
      + (codec.writes
        ? call("pictures:save(\"{stem}.\(ending)\", { … })", plugin.parameters.map(\.descriptor)) : "")
  }

  /// Returns a call on a line of its own, followed by its options.
  private static func call(_ text: String, _ parameters: [ParameterDescriptor]) -> String {
    let rows = ParameterDescriptor.rows(parameters, indent: 4)
    return "\n  " + printable(text)
      + (rows.isEmpty ? "" : "\n" + printable(HelpText.table(rows), keepingLines: true))
  }
}
