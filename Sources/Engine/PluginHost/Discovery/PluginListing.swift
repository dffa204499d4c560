/// A file on the search path, with its plugin or the reason why it has none.
package struct PluginListing: Sendable, Equatable {
  package let path: String
  package let outcome: Result<PluginDescription, PluginRefusal>
  /// The result of testing the plugin; nil if this version of the file was not tested.
  package internal(set) var verdict: PluginVerdict?

  /// Whether the file is in a folder of frei0r plugins, or is such a plugin. Also set for refused files.
  package internal(set) var isFrei0r = false

  /// The plugin's name; nil for a rejected file.
  package var name: String? { try? outcome.get().name }

  /// The reason for rejecting the file, such as `lib/libX.so is for another machine (aarch64)`; nil for a plugin.
  package var refusal: String? { if case .failure(let refusal) = outcome { "\(path) \(refusal)" } else { nil } }
}
