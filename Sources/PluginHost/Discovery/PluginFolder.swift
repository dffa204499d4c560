import ImageCore

#if canImport(Glibc)
  import Glibc
#endif

/// A folder in which plugins are looked for.
public struct PluginFolder: Sendable, Hashable {
  /// Which files count.
  public enum Files: Sendable, Hashable {
    /// `*.so`: the user named this folder.
    case everyLibrary
    /// `lib*Plugin.so`: a folder that holds other things too.
    case pluginLibraries
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

  /// Where plugins are looked for, in this order: the folders of `IMGHOST_PLUGIN_PATH`, the executable's
  /// own, and `../lib/imghost/plugins` beside it.
  ///
  /// - Parameter pluginPath: the variable's value, folders separated by colons.
  public static func standard(pluginPath: String?, executableFolder: String) -> [PluginFolder] {
    let named = (pluginPath ?? "").split(separator: ":").map { PluginFolder(path: String($0)) }
    return named + [
      PluginFolder(path: executableFolder, files: .pluginLibraries, isExpected: false),
      PluginFolder(path: executableFolder + "/../lib/imghost/plugins", isExpected: false),
    ]
  }

  /// Paths of the libraries that count, in the order of their names.
  func libraries() throws(FileError) -> [String] { try paths(where: counts) }

  /// Paths of plugins written in Lua, in the order of their names: `*.lua`, in a folder that holds other
  /// things `*Plugin.lua`. A folder that cannot be read has none.
  public func luaFiles() -> [String] {
    let suffix = files == .everyLibrary ? ".lua" : "Plugin.lua"
    return (try? paths { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }) ?? []
  }

  /// Wraps `opendir(3)` and `readdir(3)`.
  private func paths(where counts: (String) -> Bool) throws(FileError) -> [String] {
    guard let folder = opendir(path) else { throw FileError(.open, path: path, code: errno) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if counts(name) { names.append(name) }
    }
    return names.sorted().map { path.hasSuffix("/") ? path + $0 : path + "/" + $0 }
  }

  private func counts(_ name: String) -> Bool {
    switch files {
    case .everyLibrary: name.hasSuffix(".so")
    case .pluginLibraries: name.hasPrefix("lib") && name.hasSuffix("Plugin.so")
    }
  }
}
