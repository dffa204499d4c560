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

/// An output that has claimed a path, with the job that writes the output.
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

/// The paths that no output of a run may take.
struct ReservedPaths {
  /// The files that the program itself writes, each with the option that names it.
  private(set) var ownFiles: [(place: InternedPath, option: String)] = []
  /// The script's own files.
  private var scripts: Set<InternedPath> = []
  /// The source files of pictures.
  private var sources: Set<InternedPath> = []
  /// The files that are read and written, by identity instead of name.
  let files: RunFiles
  private var places: OutputPlaces

  init(_ options: RunOptions, files: RunFiles) {
    self.files = files
    places = OutputPlaces(options)
    for (path, option) in options.ownFiles { ownFiles.append((places.paths.place(of: path), option)) }
  }

  /// Adds the file of a picture.
  ///
  /// - Parameter mayBeLink: false if the path itself is known not to be a link.
  /// - Returns: the option that names this file, if the program itself writes the file; otherwise nil.
  mutating func addSource(_ path: String, mayBeLink: Bool) -> String? {
    let place = places.paths.place(of: path, mayBeLink: mayBeLink)
    sources.insert(place)
    return ownFiles.first { $0.place == place }?.option
  }

  mutating func addScript(_ path: String) {
    scripts.insert(places.paths.place(of: path))
    addFile(path, for: .script)
  }

  /// Adds an existing file that is read for the given purpose.
  func addFile(_ path: String, for use: RunFiles.Use) {
    if let identity = FileIdentity(at: path) { files.read(identity, for: use) }
  }

  mutating func forgetSources() { sources = [] }

  /// Returns why no output may be written to this path, as a clause; nil if one may.
  func reason(against place: InternedPath) -> String? {
    if let problem = places.problem(at: place) { return problem }
    if let own = ownFiles.first(where: { $0.place == place }) {
      return "\(own.option) writes this file; save elsewhere"
    }
    if sources.contains(place) { return "this would overwrite a picture that the script reads; save elsewhere" }
    if scripts.contains(place) { return "this would overwrite a file of the script itself; save elsewhere" }
    // Only an existing file can be known under another name.
    guard let identity = FileIdentity(at: place.text), let version = FileVersion(path: place.text) else { return nil }
    return files.conflict(replacing: identity, at: place, modified: version.modified)?.text
  }
}
