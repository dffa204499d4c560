import ImageCore
import Synchronization

/// The plugin's description when a script was checked. Every worker of the run must confirm it.
///
/// A cached description is replaced once if only the version differs: then the plugin's file is the same, but a library
/// that the plugin links to was upgraded. The check of the script remains valid.
final class ExpectedDescription: Sendable {
  private struct State {
    var body: WireReader
    var mayBeRenewed: Bool
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - body: the body of a `description` message.
  ///   - isKept: whether the description comes from the cache.
  init(_ body: WireReader, isKept: Bool) { state = Mutex(State(body: body, mayBeRenewed: isKept)) }

  enum Verdict: Equatable { case same, renewed, other }

  /// Compares the description that a plugin has just given with the expected one.
  func compare(_ body: WireReader) -> Verdict {
    state.withLock { state in
      if body == state.body {
        state.mayBeRenewed = false
        return .same
      }
      guard state.mayBeRenewed, Self.areAlike(body, state.body) else { return .other }
      state = State(body: body, mayBeRenewed: false)
      return .renewed
    }
  }

  /// The version that the plugin stated last.
  var version: String? {
    var reader = state.withLock { $0.body }
    guard (try? reader.text()) != nil else { return nil }
    return try? reader.line()
  }

  /// Returns whether two descriptions differ only in their version.
  private static func areAlike(_ body: WireReader, _ other: WireReader) -> Bool {
    var readers = (body, other)
    var checked = body
    guard let name = try? readers.0.text(), let otherName = try? readers.1.text(), name.elementsEqual(otherName),
      (try? readers.0.text()) != nil, (try? readers.1.text()) != nil
    else { return false }
    return readers.0 == readers.1 && (try? PluginDescription(from: &checked)) != nil
  }
}
