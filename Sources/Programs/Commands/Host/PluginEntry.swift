import ImageCore
import LuaBindings
import PluginHost

/// A plugin of any kind, or a file that was refused, as the commands for plugins list it.
struct PluginEntry {
  let path: String
  /// The plugin's name, version and kind; nil if the file was refused.
  let plugin: Plugin?
  /// The reason for the refusal: a sentence that starts with the path; nil for a plugin.
  let refusal: String?
  /// The name of the refused plugin if another plugin with this name comes first.
  let hiddenName: String?

  struct Plugin {
    let name: String
    /// The version; empty if the plugin has none.
    let version: String
    /// The kind in words: "filter", "codec", "filter, in Lua", …
    let kind: String
    let summary: String

    /// The name and version: `glow 1.2`.
    var title: String { version.isEmpty ? name : name + " " + version }
  }

  /// Lists the plugins in folders, native ones first. Native files without a cached description are loaded in confined
  /// processes, and Lua files run in the sandbox.
  static func all(in folders: [PluginFolder]) -> [PluginEntry] {
    var configuration = PluginHost.Configuration(searchPath: folders, worker: Executable.worker)
    configuration.cacheFolder = HostEnvironment.descriptionFolder
    let plugins = PluginHost(configuration)
    defer { plugins.invalidate() }
    let host = HostEnvironment()
    defer { host.invalidate() }
    let files = LuaPluginFiles(
      paths: { _ in folders.flatMap { $0.luaFiles() } }, native: { plugins.path(ofPlugin: $0, before: $1) })
    return plugins.discover().map(PluginEntry.init) + LuaPluginCatalog.list(host, files).map(PluginEntry.init)
  }

  init(_ listing: PluginListing) {
    path = listing.path
    refusal = listing.refusal
    hiddenName = if case .failure(.hidden(let name, _)) = listing.outcome { name } else { nil }
    plugin = (try? listing.outcome.get()).map {
      Plugin(
        name: $0.name, version: $0.version, kind: $0.kind.name + (listing.isFrei0r ? ", frei0r" : ""),
        summary: $0.summary)
    }
  }

  init(_ listing: LuaPluginListing) {
    path = listing.path
    switch listing.outcome {
    case .success(let plugin):
      (refusal, hiddenName) = (nil, nil)
      self.plugin = Plugin(
        name: plugin.name, version: listing.version, kind: plugin.luaKind.name + ", in Lua", summary: plugin.summary)
    case .failure(let reason):
      refusal = "\(listing.path) \(reason)"
      hiddenName = if case .hidden(let name, _) = reason { name } else { nil }
      plugin = nil
    }
  }
}

extension PluginDescription.Kind {
  /// The word for the kind in help and JSON.
  var name: String {
    switch self {
    case .filter: "filter"
    case .source: "source"
    case .mixer: "mixer"
    case .codec: "codec"
    }
  }
}

extension OperationDescriptor {
  /// The kind of a Lua plugin. The picture that its method is called on counts as an input, too.
  var luaKind: PluginDescription.Kind {
    let inputs = 1 + parameters.count { if case .picture = $0.kind { true } else { false } }
    return inputs == 1 ? .filter : .mixer(inputCount: inputs)
  }
}
