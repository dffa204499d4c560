import ImageCore
import ImagePipeline
import LuaRuntime

/// `img.require_plugin("glow", ">= 1.2")`: what a script needs, reported before anything is decoded.
extension ScriptSession {
  /// Returns the version of the plugin.
  func requirePlugin(_ arguments: [LuaValue], _ position: ScriptPosition?) throws(LuaHostError) -> [LuaValue] {
    let usage = "require_plugin takes a name and a requirement: img.require_plugin(\"glow\", \">= 1.2\")"
    guard case .string(let name)? = arguments.first, arguments.count <= 2 else { throw .mistake(usage) }
    var requirement: VersionRequirement?
    switch arguments.dropFirst().first {
    case nil, .some(LuaValue.none): break
    case .string(let text):
      requirement = VersionRequirement(text)
      guard requirement != nil else {
        throw .mistake(
          "require_plugin: invalid requirement '\(printable(text))': expected comparisons with versions, "
            + "such as \">= 1.2\" or \">= 1.2, < 2\"")
      }
    default: throw .mistake(usage)
    }
    guard let (version, file) = try foundPlugin(name) else {
      reportMissing(name, by: "require_plugin", position)
      return [standIn(.string)]
    }
    if let requirement, !requirement.accepts(version) {
      let what = version.isEmpty ? "has no version" : "is version \(printable(version))"
      throw .mistake(
        "require_plugin: plugin '\(printable(name))' \(what), but the script needs \(requirement.text); "
          + "it comes from \(printable(file))")
    }
    return [.string(version)]
  }

  /// The version and the file of the plugin that a script would call by this name; nil if there is none.
  private func foundPlugin(_ name: String) throws(LuaHostError) -> (version: String, file: String)? {
    if let plugin = try luaPlugin(named: name) { return (plugin.version, plugin.file) }
    guard let version = lua.waiting({ run.environment.pluginVersion(name) }) else { return nil }
    return (version, run.environment.pluginFile(name) ?? "a library")
  }
}
