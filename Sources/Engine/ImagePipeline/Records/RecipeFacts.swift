import ImageCore

/// Identities of the code and the fonts that recipes depend on beside the script and its pictures.
package struct RecipeFacts: Sendable {
  /// Identifies imghost and the libraries that it loads.
  package var build: @Sendable () -> String = { "" }
  /// Returns what identifies the code of a plugin, by its name; nil if there is no such plugin.
  package var plugin: @Sendable (String) -> PluginIdentity? = { _ in nil }
  /// Returns what identifies a plugin's library, and those that it loads.
  package var library: @Sendable (_ path: String) -> String = { _ in "" }
  /// Returns what identifies the plugin that converts between colour profiles; nil if there is none.
  package var colours: @Sendable () -> PluginIdentity? = { nil }
  /// Identifies the fonts that texts are drawn with. Looked up when the first text is drawn.
  package var fonts: @Sendable () -> String = { "" }

  package init() {}

  package struct PluginIdentity: Sendable {
    /// The path of its library.
    package let path: String
    package let code: String
    /// Whether equal inputs give equal results.
    package let isDeterministic: Bool

    package init(path: String, code: String, isDeterministic: Bool) {
      (self.path, self.code, self.isDeterministic) = (path, code, isDeterministic)
    }
  }
}

/// Facts of a request that its options do not tell, for recipes.
package struct RequestFacts: Sendable {
  /// Lines of a recipe.
  package var lines: [String] = []
  /// Whether texts may be drawn.
  package var drawsText = false
  /// Whether colours are converted between profiles.
  package var convertsColours = false
  /// The jobs whose requests count as well.
  package var jobs: [Job] = []
  /// The reason why the output has to be made in every run; nil for none.
  package var reasonToMake: String?

  package init() {}
}
