import ImageCore

/// The plugins that recipes depend on. Each is looked up once.
final class RecipePlugins {
  private let facts: RecipeFacts
  /// The parameters of imghost's own operations.
  private let operations: RecipeDefaults
  /// The paths of the plugins.
  var read: Set<String> = []
  private var libraries: [String: String] = [:]
  private var plugins: [String: Plugin?] = [:]

  /// The identity of a plugin, and the parameters of all operations with those of the plugin.
  struct Plugin {
    let identity: RecipeFacts.PluginIdentity
    let defaults: RecipeDefaults
  }

  init(_ facts: RecipeFacts, _ operations: RecipeDefaults) { (self.facts, self.operations) = (facts, operations) }

  /// Returns an identifier of a plugin's library.
  func library(_ path: String) -> String {
    if let known = libraries[path] { return known }
    let identity = facts.library(path)
    read.insert(path)
    libraries[path] = identity
    return identity
  }

  /// Returns a plugin by its name; nil if there is none.
  func plugin(_ name: String) -> Plugin? {
    if let known = plugins[name] { return known }
    let plugin = facts.plugin(name).map { Plugin(identity: $0, defaults: operations.adding(name, $0.parameters)) }
    if let plugin { read.insert(plugin.identity.path) }
    plugins[name] = .some(plugin)
    return plugin
  }
}
