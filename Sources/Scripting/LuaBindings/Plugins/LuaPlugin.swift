import ImageCore
import ImagePipeline
import LuaRuntime

/// A Lua plugin: a function of pictures, declared with its parameters.
struct LuaPlugin {
  let descriptor: OperationDescriptor
  /// Empty if it declares none.
  let version: String
  let apply: LuaFunction
  /// Whether it takes RGB of any profile; else pictures become sRGB before it.
  let takesAnyRGB: Bool
  /// The plugin's file, or the script that declares it.
  let file: String
  /// The line of the declaration.
  let line: Int
}

/// The files of Lua plugins, and the native plugins that hide some of them.
package struct LuaPluginFiles: Sendable {
  /// The files in their order, for a script in this folder; nil outside of any script.
  package var paths: @Sendable (_ scriptFolder: String?) -> [String]
  /// The file of a native plugin of this name that comes before `path`; nil if there is none.
  package var native: @Sendable (_ name: String, _ path: String) -> String?

  package init(
    paths: @escaping @Sendable (String?) -> [String] = { _ in [] },
    native: @escaping @Sendable (String, String) -> String? = { _, _ in nil }
  ) {
    self.paths = paths
    self.native = native
  }
}

/// One file with its plugin, or with the reason for which it has none.
package struct LuaPluginListing: Sendable {
  package let path: String
  /// The plugin, or the end of a sentence that starts with the file's name.
  package let outcome: Result<OperationDescriptor, LuaPluginRefusal>
  /// The version that the plugin declares; empty for none.
  package let version: String
}

/// The reason for which a file, or one plugin in it, is not used.
package struct LuaPluginRefusal: Error, Sendable, Equatable {
  /// The end of a sentence that starts with the file's name: "is not used: …".
  package let reason: String
}

/// The Lua plugins of a session. A file is read when a script uses a plugin that may be in it.
struct LuaPluginTable {
  var loader: LuaFunction?
  var scriptFolder: String?
  /// All files in their order; nil until a script uses the first plugin.
  var paths: [String]?
  var loaded: Set<String> = []
  /// The names for which the files have been searched.
  var asked: Set<String> = []
  /// The file being read.
  var loading: String?
  /// The file read last, for errors that cannot be caught.
  var lastPath = ""
  var listings: [LuaPluginListing] = []
  var found: [String: LuaPlugin] = [:]
  /// The running calls, the outermost first.
  var callers: [(plugin: LuaPlugin, position: ScriptPosition?)] = []

  var names: [String] { found.keys.sorted() }

  /// The script's call behind a place in a plugin.
  var origin: String? {
    guard let (plugin, position) = callers.first else { return nil }
    return "plugin '\(plugin.descriptor.name)'" + (position.map { ", called at \($0.file):\($0.line)" } ?? "")
  }

  /// The place for a message from within a call. `return picture:blur(…)` is a tail call, for which Lua keeps no line:
  /// it gives the line that called the plugin. The plugin's declaration replaces that line.
  func place(file: String, line: Int) -> (file: String, line: Int) {
    guard let (plugin, position) = callers.last, position?.file == file, position?.line == line
    else { return (file, line) }
    return (plugin.file, plugin.line)
  }

  /// The files that could not be used, as the end of a message.
  var problems: String {
    listings.compactMap { listing -> String? in
      guard case .failure(let refusal) = listing.outcome else { return nil }
      return "; \(listing.path) \(refusal.reason)"
    }.joined()
  }
}
