/// One file found on the search path: what plugin it is, or why it is none.
public struct PluginListing: Sendable, Equatable {
  public let path: String
  public let outcome: Result<PluginDescription, PluginRefusal>
  /// What trying it out has shown; nil when it has not been tried as it is now.
  public internal(set) var verdict: PluginVerdict?

  /// Whether it lies where frei0r plugins do, or is one; also known of what is refused.
  public internal(set) var isFrei0r = false

  /// The plugin's name, nil for a file that is refused.
  public var name: String? { try? outcome.get().name }

  /// `lib/libX.so is for another machine (aarch64)`; nil for a plugin.
  public var refusal: String? {
    if case .failure(let refusal) = outcome { "\(path) \(refusal)" } else { nil }
  }
}
