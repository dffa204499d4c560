import ImageCore
import Scheduling

/// The paths that outputs of a run have claimed, and the paths that no output may use.
///
/// A run has one object of this class. Only the script's thread uses it.
final class PathClaims {
  /// The claimed paths, and the outputs that claimed them.
  var claims: [InternedPath: OutputClaim] = [:]
  var reserved: ReservedPaths
  var real = RealPaths()
  /// The files that are read and written, by their identity.
  var files: RunFiles { reserved.files }

  init(_ options: RunOptions) {
    reserved = ReservedPaths(options, files: RunFiles(standardOutput: options.standardOutput, records: options.records))
  }

  /// Returns the output that is written to a path, after following links; nil for none.
  func claim(of path: String) -> OutputClaim? { claims[real.place(of: path)] }

  /// Forgets the claims and the sources of pictures. Called when the script can request no more outputs.
  func forget() {
    reserved.forgetSources()
    claims = [:]
  }
}

/// The path of an output and the script's call that writes it.
struct OutputClaim: Sendable {
  let job: Job
  /// The file from which the picture was made.
  let source: PictureFile?
  /// The path before following links.
  let path: InternedPath
  /// The number of outputs that have claimed this path, if their names contain `{hash}`; 0 if they do not.
  let hashedCount: Int

  /// Whether another job may take over the path, because the job that claimed it was cancelled and will not write it.
  var isGivenUp: Bool { job.isFinished && job.result.isCancelled }
}
