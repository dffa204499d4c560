import ImageCore
import Platform

/// A folder that is searched for plugins.
package struct PluginFolder: Sendable, Hashable {
  /// The files in a folder that count as plugins.
  package enum Files: Sendable, Hashable {
    /// `*.so`, in a folder where every library may be a plugin.
    case everyLibrary
    /// `lib*Plugin.so`, in a folder that also contains other files.
    case pluginLibraries
    /// Every library and every plugin in Lua, including those one folder deeper: the user's own folder, where each
    /// installed plugin has a folder of its own.
    case installed
    /// `*.so`, including those one folder deeper: frei0r plugins, which are grouped by vendor.
    case frei0r
  }

  package let path: String
  package let files: Files
  /// Whether a message is shown if the folder cannot be read.
  package let isExpected: Bool

  package init(path: String, files: Files = .everyLibrary, isExpected: Bool = true) {
    self.path = path
    self.files = files
    self.isExpected = isExpected
  }

  /// Returns the folders of plugins in order: those of `IMGHOST_PLUGIN_PATH`, the user's own, the executable's, and
  /// `../lib/imghost/plugins` relative to the executable's.
  ///
  /// - Parameters:
  ///   - pluginPath: the variable's value, with folders separated by colons.
  ///   - userFolder: see `userPath`.
  ///   - executableFolder: the folder of the executable, with links resolved.
  package static func standard(pluginPath: String?, userFolder: String? = nil, executableFolder: String)
    -> [PluginFolder]
  {
    let named = (pluginPath ?? "").split(separator: ":").map { PluginFolder(path: String($0)) }
    let own = userFolder.map { [PluginFolder(path: $0, files: .installed, isExpected: false)] } ?? []
    let parent = PathName.folder(executableFolder).map(String.init) ?? "."
    return named + own + [
      PluginFolder(path: executableFolder, files: .pluginLibraries, isExpected: false),
      PluginFolder(path: parent + "/lib/imghost/plugins", isExpected: false),
    ]
  }

  /// Returns the folder of plugins that a user has installed: `$XDG_DATA_HOME/imghost/plugins`, or else the one in
  /// `~/.local/share`; nil if neither is an absolute path. XDG Base Directory Specification 0.8.
  package static func userPath(dataHome: String?, home: String?) -> String? {
    if let dataHome, PathName.isAbsolute(dataHome) { return "\(dataHome)/imghost/plugins" }
    guard let home, PathName.isAbsolute(home) else { return nil }
    return "\(home)/.local/share/imghost/plugins"
  }

  /// Returns the folders of frei0r plugins in order: those of `FREI0R_PATH`, the system's, and the user's own.
  /// https://frei0r.dyne.org, "Location of effects".
  ///
  /// - Parameter path: the variable's value, with folders separated by colons.
  package static func frei0r(path: String?, home: String?) -> [PluginFolder] {
    let named = (path ?? "").split(separator: ":").map {
      PluginFolder(path: String($0), files: .frei0r)
    }
    var standard = ["/usr/lib/frei0r-1", "/usr/local/lib/frei0r-1"]
    #if arch(x86_64)
      standard.append("/usr/lib/x86_64-linux-gnu/frei0r-1")
    #elseif arch(arm64)
      standard.append("/usr/lib/aarch64-linux-gnu/frei0r-1")
    #endif
    if let home, PathName.isAbsolute(home) { standard.append(home + "/.frei0r-1/lib") }
    return named + standard.map { PluginFolder(path: $0, files: .frei0r, isExpected: false) }
  }

  /// Returns the paths of matching libraries sorted by name, followed by the libraries in subfolders.
  func libraries() throws(FileError) -> [String] {
    try paths { name in
      files == .pluginLibraries ? name.hasPrefix("lib") && name.hasSuffix("Plugin.so") : name.hasSuffix(".so")
    }
  }

  /// The paths of all native plugins and of those written in Lua; empty if the folder cannot be read.
  package var all: [String] { ((try? libraries()) ?? []) + luaFiles() }

  /// Returns the paths of plugins written in Lua, in the same order as `libraries()`: `*.lua`, or `*Plugin.lua` in a
  /// folder of frei0r plugins or one that also contains other files. Empty if the folder cannot be read.
  package func luaFiles() -> [String] {
    let suffix = files == .pluginLibraries || files == .frei0r ? "Plugin.lua" : ".lua"
    return (try? paths { $0.hasSuffix(suffix) && !PathName.isHidden($0) }) ?? []
  }

  private func paths(_ counts: (String) -> Bool) throws(FileError) -> [String] {
    let names = try Self.names(path)
    let prefix = path.hasSuffix("/") ? path : path + "/"
    var paths = names.filter(counts).map { prefix + $0 }
    guard files == .frei0r || files == .installed else { return paths }
    for name in names where !PathName.isHidden(name) && !counts(name) {
      let further = prefix + name
      paths += ((try? Self.names(further)) ?? []).filter(counts).map { further + "/" + $0 }
    }
    return paths
  }

  private static func names(_ path: String) throws(FileError) -> [String] {
    guard let names = folderNames(path) else { throw FileError(.open, path: path, code: errno) }
    return names.sorted()
  }
}
