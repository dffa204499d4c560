import ImageCore
import ImagePipeline
import LuaRuntime

/// A Lua plugin: a function that returns a picture, declared with its parameters.
struct LuaPlugin {
  let descriptor: OperationDescriptor
  /// The declared version; empty for none.
  let version: String
  let apply: LuaFunction
  /// Whether the plugin takes RGB of any profile; otherwise, pictures are converted to sRGB first.
  let takesAnyRGB: Bool
  /// The plugin's file, or the script that declares it.
  let file: String
}

/// The files of Lua plugins, and the native plugins that hide some of them.
package struct LuaPluginFiles: Sendable {
  /// Returns the files in order for a script in a folder; the folder is nil outside a script.
  package var paths: @Sendable (_ scriptFolder: String?) -> [String]
  /// Returns the file of a native plugin with this name that comes before `path`; nil if there is none.
  package var native: @Sendable (_ name: String, _ path: String) -> String?

  package init(
    paths: @escaping @Sendable (String?) -> [String] = { _ in [] },
    native: @escaping @Sendable (String, String) -> String? = { _, _ in nil }
  ) {
    self.paths = paths
    self.native = native
  }
}

/// A file with its plugin, or with the reason why it has none.
package struct LuaPluginListing: Sendable {
  package let path: String
  /// The plugin, or the reason for refusing the file.
  package let outcome: Result<OperationDescriptor, LuaPluginRefusal>
  /// The version that the plugin declares; empty for none.
  package let version: String
}

/// The reason why a file, or one plugin in it, is not used.
package enum LuaPluginRefusal: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file cannot be read, or contains a mistake. The text states the reason.
  case mistake(String)
  /// Another plugin with this name comes first.
  case hidden(name: String, by: String)

  /// The end of a sentence that starts with the file's name.
  package var description: String {
    switch self {
    case .mistake(let text): "is not used: \(text)"
    case .hidden(let name, let path): "is not used: '\(name)' is already defined by \(path)"
    }
  }
}

/// The Lua plugins of a session. A file is read when a script uses a plugin that may be in it.
struct LuaPluginTable {
  var loader: LuaFunction?
  var scriptFolder: String?
  /// All files in order; nil until plugins are first needed.
  var paths: [String]?
  var loaded: Set<String> = []
  /// The names for which the files have already been searched.
  var asked: Set<String> = []
  /// The file that is being read; nil for none.
  var loading: String?
  /// The file that was read last, which `listPlugins` names if the run is cancelled.
  var lastPath = ""
  var listings: [LuaPluginListing] = []
  var found: [String: LuaPlugin] = [:]
  /// The running calls of plugins, the outermost first.
  var callers: [(plugin: LuaPlugin, position: ScriptPosition?)] = []

  var names: [String] { found.keys.sorted() }

  /// The script's call that led to a place in a plugin; nil outside plugins.
  var origin: String? {
    guard let (plugin, position) = callers.first else { return nil }
    return "plugin '\(plugin.descriptor.name)'" + (position.map { ", called at \($0.file):\($0.line)" } ?? "")
  }

  /// The files that could not be used, with the reasons, as the end of a message.
  var problems: String {
    listings.compactMap { listing -> String? in
      guard case .failure(let refusal) = listing.outcome else { return nil }
      return "; \(listing.path) \(refusal)"
    }.joined()
  }
}
