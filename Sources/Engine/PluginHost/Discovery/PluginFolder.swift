import ImageCore
import Platform

/// A folder in which plugins are looked for.
public struct PluginFolder: Sendable, Hashable {
  /// The kinds of files in a folder.
  public enum Files: Sendable, Hashable {
    /// `*.so`: the user named this folder.
    case everyLibrary
    /// `lib*Plugin.so`: a folder that holds other things too.
    case pluginLibraries
    /// `*.so`, also one folder further down: frei0r plugins, which lie there by vendor.
    case frei0r
  }

  public let path: String
  public let files: Files
  /// Whether it is worth a line when the folder is not there.
  public let isExpected: Bool

  public init(path: String, files: Files = .everyLibrary, isExpected: Bool = true) {
    self.path = path
    self.files = files
    self.isExpected = isExpected
  }

  /// The folders of plugins, in order: those of `IMGHOST_PLUGIN_PATH`, the executable's own, and
  /// `../lib/imghost/plugins` beside it.
  ///
  /// - Parameter pluginPath: the variable's value, folders separated by colons.
  public static func standard(pluginPath: String?, executableFolder: String) -> [PluginFolder] {
    let named = (pluginPath ?? "").split(separator: ":").map { PluginFolder(path: String($0)) }
    return named + [
      PluginFolder(path: executableFolder, files: .pluginLibraries, isExpected: false),
      PluginFolder(path: executableFolder + "/../lib/imghost/plugins", isExpected: false),
    ]
  }

  /// The folders of frei0r plugins, in order: those of `FREI0R_PATH`, the system's, and the user's own. https://frei0r.dyne.org, "Location of effects".
  ///
  /// - Parameters:
  ///   - path: the variable's value, folders separated by colons.
  ///   - home: the value of `HOME`.
  public static func frei0r(path: String?, home: String?) -> [PluginFolder] {
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

  /// Paths of the files that count, in the order of their names.
  func libraries() throws(FileError) -> [String] {
    let names = try Self.names(path)
    let prefix = path.hasSuffix("/") ? path : path + "/"
    var paths = names.filter(counts).map { prefix + $0 }
    guard files == .frei0r else { return paths }
    for name in names where !PathName.isHidden(name) && !counts(name) {
      let vendor = prefix + name
      paths += ((try? Self.names(vendor)) ?? []).filter(counts).map { vendor + "/" + $0 }
    }
    return paths
  }

  /// Paths of plugins written in Lua, in the order of their names: `*.lua`, in a folder that holds other
  /// things `*Plugin.lua`. A folder that cannot be read has none.
  public func luaFiles() -> [String] {
    let suffix = files == .everyLibrary ? ".lua" : "Plugin.lua"
    let prefix = path.hasSuffix("/") ? path : path + "/"
    return ((try? Self.names(path)) ?? []).filter { $0.hasSuffix(suffix) && !PathName.isHidden($0) }.map { prefix + $0 }
  }

  /// Wraps `opendir(3)` and `readdir(3)`.
  private static func names(_ path: String) throws(FileError) -> [String] {
    guard let folder = opendir(path) else { throw FileError(.open, path: path, code: errno) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names.sorted()
  }

  private func counts(_ name: String) -> Bool {
    switch files {
    case .everyLibrary, .frei0r: name.hasSuffix(".so")
    case .pluginLibraries: name.hasPrefix("lib") && name.hasSuffix("Plugin.so")
    }
  }
}
