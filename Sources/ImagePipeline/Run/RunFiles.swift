import ImageCore
import Scheduling

/// Which files a run reads and has written, by what they are and not by their names. From any thread.
public final class RunFiles: Sendable {
  /// Why a file must not be replaced.
  enum Conflict: Sendable, Equatable {
    case source
    case output
  }

  private struct State {
    var sources: Set<FileIdentity> = []
    /// With their places' hashes: a job that was given up may be followed by another at its place.
    var outputs: [FileIdentity: Int] = [:]
  }
  private let state = Monitor(State())

  public init() {}

  func read(_ file: FileIdentity) { state.withLock { _ = $0.sources.insert(file) } }

  func wrote(_ file: FileIdentity, at place: SplitPath) {
    state.withLock { $0.outputs[file] = place.hashValue }
  }

  /// What speaks against putting another file in the place of this one, which is at `place`.
  func conflict(replacing file: FileIdentity, at place: SplitPath) -> Conflict? {
    state.withLock { state in
      if let known = state.outputs[file] { return known == place.hashValue ? nil : .output }
      return state.sources.contains(file) ? .source : nil
    }
  }
}

extension RunFiles.Conflict {
  /// As a clause, with the way out.
  var text: String {
    switch self {
    case .source:
      "this would overwrite a picture that the script reads, under another of its names; "
        + "save elsewhere"
    case .output:
      "another output has become this file: the folder takes both names for one; "
        + "tell them apart by more than upper and lower case"
    }
  }
}
