import ImageCore
import Platform

/// The files that recipes depend on besides their sources, such as plugins and colour profiles. Each is read once.
final class RecipeFiles {
  private let facts: RecipeFacts
  /// The parameters of imghost's own operations.
  private let operations: RecipeDefaults
  /// The paths of the files, without imghost and fonts.
  var read: Set<String> = []
  private var digests: [String: String?] = [:]
  private var libraries: [String: String] = [:]
  private var plugins: [String: Plugin?] = [:]

  /// The identity of a plugin, and the parameters of all operations with those of the plugin.
  struct Plugin {
    let identity: RecipeFacts.PluginIdentity
    let defaults: RecipeDefaults
  }

  init(_ facts: RecipeFacts, _ operations: RecipeDefaults) { (self.facts, self.operations) = (facts, operations) }

  /// Returns the digest of the file at a path; nil if there is none.
  func digest(of path: String) -> String? {
    if let known = digests[path] { return known }
    var status = stat()
    var digest: String?
    if !path.isEmpty, path.utf8.count < 4_096, PathBytes.withBytes(of: path, { stat($0, &status) }) == 0,
      status.st_mode & S_IFMT == S_IFREG, let file = try? InputFile(path: path)
    {
      digest = (try? SHA256.digest(of: file, count: file.byteCount))?.description
      read.insert(path)
    }
    digests[path] = .some(digest)
    return digest
  }

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
