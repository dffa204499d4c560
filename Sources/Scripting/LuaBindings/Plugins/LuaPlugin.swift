import ImageCore
import ImagePipeline
import LuaRuntime

/// A plugin written in Lua: a function of pictures, declared with its parameters.
struct LuaPlugin {
  let descriptor: OperationDescriptor
  let apply: LuaFunction
  /// Its file, or the script that declares it.
  let file: String
  /// Where in it it is declared.
  let line: Int
}

/// Where plugins written in Lua come from, and which of them a native one hides.
public struct LuaPluginFiles: Sendable {
  /// The files in their order, for a script in this folder; nil outside of any script.
  public var paths: @Sendable (_ scriptFolder: String?) -> [String]
  /// The file of a native plugin of this name that comes before `path`, nil for none.
  public var native: @Sendable (_ name: String, _ path: String) -> String?

  public init(
    paths: @escaping @Sendable (String?) -> [String] = { _ in [] },
    native: @escaping @Sendable (String, String) -> String? = { _, _ in nil }
  ) {
    self.paths = paths
    self.native = native
  }
}

/// One file, and the plugin in it or why there is none.
public struct LuaPluginListing: Sendable {
  public let path: String
  /// The plugin, or the end of a sentence that starts with the file's name.
  public let outcome: Result<OperationDescriptor, LuaPluginRefusal>
}

/// Why a file or one plugin in it is not used.
public struct LuaPluginRefusal: Error, Sendable, Equatable {
  /// The end of a sentence that starts with the file's name: "is not used: …".
  public let reason: String
}

/// What a session knows of plugins written in Lua. A file is read when a plugin is asked for that may be in it.
struct LuaPluginTable {
  var loader: LuaFunction?
  var scriptFolder: String?
  /// All files in their order; nil until the first plugin is asked for.
  var paths: [String]?
  var loaded: Set<String> = []
  /// The names that files have been searched for.
  var asked: Set<String> = []
  /// The file that is being read.
  var loading: String?
  /// The file that was read last, for what went wrong beyond catching.
  var lastPath = ""
  var listings: [LuaPluginListing] = []
  var found: [String: LuaPlugin] = [:]
  /// Calls that are under way, the outermost first.
  var callers: [(plugin: LuaPlugin, position: ScriptPosition?)] = []

  var names: [String] { found.keys.sorted() }

  /// What places in plugins carry along: the script's call that led there.
  var origin: String? {
    guard let (plugin, position) = callers.first else { return nil }
    return "plugin '\(plugin.descriptor.name)'"
      + (position.map { ", called at \($0.file):\($0.line)" } ?? "")
  }

  /// A line seen from within a call. `return picture:blur(…)` is a tail call, of which Lua keeps no line:
  /// what is found then is the line that called the plugin, in whose stead its declaration is named.
  func place(file: String, line: Int) -> (file: String, line: Int) {
    guard let (plugin, position) = callers.last, position?.file == file, position?.line == line
    else { return (file, line) }
    return (plugin.file, plugin.line)
  }

  /// The files that could not be used, as an addition to a message; empty for none.
  var problems: String {
    listings.compactMap { listing -> String? in
      guard case .failure(let refusal) = listing.outcome else { return nil }
      return "; \(listing.path) \(refusal.reason)"
    }.joined()
  }
}
