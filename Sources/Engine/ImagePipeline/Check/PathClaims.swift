import ImageCore
import Scheduling

/// The places that a run reads and writes: those that outputs have claimed, and those that no output may take.
///
/// A run has one. Only the script's thread uses it.
final class PathClaims {
  /// The places of outputs, and who writes them.
  var claims: [InternedPath: OutputClaim] = [:]
  var reserved: ReservedPaths
  var real = RealPaths()
  /// The files that are read and written, by their identity.
  var files: RunFiles { reserved.files }

  init(_ options: RunOptions) {
    reserved = ReservedPaths(options, files: RunFiles(standardOutput: options.standardOutput, records: options.records))
  }

  /// Returns the output that is written to a path, links followed; nil for none.
  func claim(of path: String) -> OutputClaim? { claims[real.place(of: path)] }

  /// Forgets outputs and pictures, when the script can ask for no more outputs.
  func forget() {
    reserved.forgetSources()
    claims = [:]
  }
}

/// The path of an output and the script's call that writes it.
struct OutputClaim: Sendable {
  let job: Job
  /// The file that the picture was made of.
  let source: PictureFile?
  /// The path before links are followed.
  let path: InternedPath
  /// The number of outputs whose names get their digests here; 0 if the path is that of one file.
  let hashedCount: Int

  /// Whether another job may take the path, because the job of the claim was cancelled and writes no more.
  var isGivenUp: Bool { job.isFinished && job.result.isCancelled }
}
