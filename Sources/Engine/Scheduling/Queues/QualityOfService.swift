/// The urgency of work. The classes mean the same as in Grand Central Dispatch.
///
/// https://developer.apple.com/documentation/dispatch/dispatchqos/qosclass
public enum QualityOfService: Int, Sendable, Hashable, CaseIterable, Comparable {
  /// Work whose result is not awaited, such as clean-up and prefetching.
  case background
  /// Long work with visible progress, such as a batch.
  case utility
  case `default`
  /// Work that a user has requested and waits for.
  case userInitiated
  /// Work whose result a user watches as it appears.
  case userInteractive

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The name in scripts and on command lines, such as `user-initiated`.
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
