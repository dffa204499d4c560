import ImageCore
import Platform
import Scheduling
import Synchronization

/// The files that a run reads and has written, by identity instead of name. Used from any thread.
package final class RunFiles: Sendable {
  /// The purpose for which a run reads a file.
  enum Use: UInt8, Sendable {
    case picture
    /// A PDF that `img.verify` checks.
    case document
    /// A file in the folder that `img.verify` compares pages with.
    case comparison
    case script
    case plugin
  }

  /// The reason why a file must not be replaced.
  enum Conflict: Sendable, Equatable {
    case read(Use)
    case output
  }

  private struct State {
    var read: [FileIdentity: Use] = [:]
    /// The written files. `place` is the hash of the path: if the job that wrote a file was cancelled, another job may
    /// replace the file at the same path, but a different path that leads to the same file is a conflict. `modified` is
    /// the modification time. If it differs, another program has replaced the run's file with one that has received the
    /// same identity.
    var outputs: [FileIdentity: (place: Int, modified: Int64)] = [:]
    /// The digests of the files whose names contain them, by path.
    var digests: [InternedPath: SHA256Digest] = [:]
    /// The claimed paths of files that have not been written yet, and whose names contain no digest.
    var pending: Set<InternedPath> = []
    /// The picture files that could not be opened or read at some time during the run.
    var unreadable: [PictureFile] = []
  }
  private let state = Monitor(State())
  private let hasUnreadable = Atomic(false)
  let standardOutput: StandardOutput
  /// The records of the run's outputs; nil for none.
  let records: (any OutputRecords)?

  package init(standardOutput: StandardOutput = StandardOutput(), records: (any OutputRecords)? = nil) {
    (self.standardOutput, self.records) = (standardOutput, records)
  }

  /// Adds a file that is read. If it is read for several purposes, the first counts.
  func read(_ file: FileIdentity, for use: Use) {
    state.withLock { if $0.read[file] == nil { $0.read[file] = use } }
  }

  /// Returns whether the run reads a file.
  package func isRead(_ file: FileIdentity) -> Bool { state.withLock { $0.read[file] != nil } }

  /// Adds a file that the run has written.
  ///
  /// - Parameter modified: the file's modification time, in nanoseconds since 1970.
  func wrote(_ file: FileIdentity, at place: InternedPath, modified: Int64) {
    state.withLock { state in
      state.outputs[file] = (place.hashValue, modified)
      state.pending.remove(place)
    }
  }

  func addUnreadable(_ file: PictureFile) {
    state.withLock { state in
      if !state.unreadable.contains(where: { $0 === file }) { state.unreadable.append(file) }
    }
    hasUnreadable.store(true, ordering: .releasing)
  }

  var unreadable: [PictureFile] {
    hasUnreadable.load(ordering: .acquiring) ? state.withLock { $0.unreadable } : []
  }

  /// The paths of the files in `unreadable`.
  package var unreadablePaths: Set<String> { Set(unreadable.map(\.path)) }

  /// Throws an error if one of a picture's files was unreadable at some time during the run. The output may lack a part
  /// of the file, such as its profile, without any other sign.
  package func checkReadable(_ picture: Picture) throws(PictureError) {
    guard hasUnreadable.load(ordering: .acquiring) else { return }
    for file in picture.sources.files {
      guard let error = file.tellFailure() else { continue }
      throw .operation(.unsuitable("'\(printable(file.path))' could not be read: \(error)"))
    }
  }

  /// Claims the path of an output. Equal files whose names contain their digest may share a path.
  ///
  /// - Parameters:
  ///   - path: the path as the script names it; `place` is the same with links followed.
  ///   - digest: the digest in the file's name; nil if the name contains none.
  ///   - status: returns the status of the existing file at the path; nil if there is none.
  /// - Returns: false if another output, which this run makes or keeps, has the path.
  func claim(_ place: InternedPath, _ path: String, for digest: SHA256Digest?, replacing status: () -> stat?) -> Bool {
    if let records, status() != nil, records.keeps(place, path) {
      guard let digest, let kept = try? InputFile(path: place.text) else { return false }
      return (try? SHA256.digest(of: kept, count: kept.byteCount)) == digest
    }
    return state.withLock { state in
      if let known = state.digests[place] { return known == digest }
      guard let digest else {
        state.pending.insert(place)
        return true
      }
      // The status is read under the lock, because another output may be written at this moment.
      if state.pending.contains(place) { return false }
      if let file = status(), let known = state.outputs[FileIdentity(file)],
        known.modified == FileVersion(file).modified
      {
        return false
      }
      state.digests[place] = digest
      return true
    }
  }

  /// Returns why an output must not replace the file at `place`; nil if it may.
  ///
  /// - Parameter modified: the modification time of the file at `place`, in nanoseconds since 1970.
  func conflict(replacing file: FileIdentity, at place: InternedPath, modified: Int64) -> Conflict? {
    state.withLock { state in
      if let known = state.outputs[file], known.modified == modified {
        return known.place == place.hashValue ? nil : .output
      }
      return state.read[file].map { .read($0) }
    }
  }
}

extension RunFiles.Conflict {
  /// The reason as a clause, with a remedy.
  var text: String {
    switch self {
    case .read(let use): "this would overwrite \(use.text); save elsewhere"
    case .output:
      "another output has become this file: the folder takes both names for one; "
        + "tell them apart by more than upper and lower case"
    }
  }
}

extension RunFiles.Use {
  /// The description of the file that would be overwritten, for a message.
  fileprivate var text: String {
    switch self {
    case .picture: "a picture that the script reads, under another of its names"
    case .document: "a PDF that the script verifies"
    case .comparison: "a file of the folder that 'against' names"
    case .script: "a file of the script itself, under another of its names"
    case .plugin: "a plugin that the script uses"
    }
  }
}
