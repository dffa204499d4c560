/// The urgency of work, with the meanings of Grand Central Dispatch.
///
/// https://developer.apple.com/documentation/dispatch/dispatchqos/qosclass
public enum QualityOfService: Int, Sendable, Hashable, CaseIterable, Comparable {
  /// Work that nobody waits for: clean-up, prefetching.
  case background
  /// Long work whose progress may be watched: a batch.
  case utility
  case `default`
  /// Work that somebody asked for and waits for.
  case userInitiated
  /// Work whose result somebody watches appear.
  case userInteractive

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The name scripts and command lines use: `user-initiated`.
  public var name: String {
    switch self {
    case .background: "background"
    case .utility: "utility"
    case .default: "default"
    case .userInitiated: "user-initiated"
    case .userInteractive: "user-interactive"
    }
  }

  public init?(name: String) {
    guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = match
  }

  /// Whether the class runs on workers of normal priority.
  var isForeground: Bool { self >= .default }
}
