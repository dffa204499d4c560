import BookComposing
import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import PluginHost
import Reporting
import Scheduling
import Synchronization

/// The file of `--manifest`. It is opened before the run, so that an unwritable path is reported at once, and is
/// renamed into place after all outputs.
struct ManifestFile: RunObserver {
  static let option = CommandOption(
    name: "--manifest", value: "FILE.json",
    help:
      "list sources and outputs with their sizes and digests, for other programs, or as FILE.sha256 the outputs for "
      + "'sha256sum -c'; written last")

  private let file: OutputFile
  private let script: String
  private let folder: ListFolder
  private let isDigestList: Bool

  /// Opens the file that the command line requests. Returns nil if it requests none, and in a dry run, which writes
  /// nothing.
  ///
  /// - Parameters:
  ///   - script: the script's path, which must not be replaced.
  ///   - others: the other files that the program itself writes, with their options.
  init?(_ line: ParsedLine, script: String, others: [(path: String, option: String)], options: RunOptions)
    throws(UsageError)
  {
    guard let path = line.value(Self.option.name), !options.isDryRun else { return nil }
    guard options.part.shard == nil else {
      throw .other("\(Self.option.name) lists a whole run; give it to 'imghost merge', not to a shard")
    }
    var places = OutputPlaces(options)
    isDigestList = FileListKind(path: path) == .digests
    file = try OwnFile.open(
      path, for: Self.option.name, script: script, others: others, in: &places,
      beginnings: isDigestList ? [] : [OutputManifest.beginning],
      isEarlier: { [isDigestList] in isDigestList && DigestLine($0.prefix { $0 != UInt8(ascii: "\n") }) != nil },
      what: isDigestList ? "a list of digests" : "a manifest")
    folder = ListFolder(of: path)
    self.script = script
  }

  var own: (path: String, option: String) { (file.path, Self.option.name) }

  /// Writes the manifest. The existing file stays unchanged if the run has no jobs or was interrupted, or if the script
  /// reads a file that the program itself writes.
  func describeOutputs(of outcome: RunOutcome, on scheduler: Scheduler, _: PluginHost) -> Diagnostic? {
    let (run, status) = (outcome.run, outcome.status)
    guard !run.jobs.isEmpty, !run.graph.readsOwnFile, status.rawValue < 128 else {
      file.discard()
      return nil
    }
    return file.finish(for: Self.option.name, run.fileRegister) { file throws(PictureError) in
      let manifest = try manifest(of: run, status, on: scheduler)
      try file.write(isDigestList ? PathBytes.bytes(of: manifest.digestList) : Array(manifest.text.utf8))
    }
  }

  private func manifest(of run: Run, _ status: ExitStatus, on scheduler: Scheduler) throws(PictureError)
    -> OutputManifest
  {
    let records = Dictionary(
      run.results.outputs.map { (Place(job: ObjectIdentifier($0.job), index: $0.index), $0) },
      uniquingKeysWith: { first, _ in first })
    var sources: [String: PictureFile] = [:]
    for file in run.results.outputs.flatMap(\.sources) { sources[file.path] = file }
    let inputs = sources.values.sorted { $0.path < $1.path }
    let outputs = run.jobs.flatMap { job in
      job.result.outputs.enumerated().map { (job: job, index: $0.offset, output: $0.element) }
    }.filter { OutputPipe($0.output.path) == nil }
    let written = outputs.filter { $0.output.byteCount != nil }
    let recognise = run.environment.recognise
    let facts = try Self.facts(inputs.count + written.count, on: scheduler) { index throws(PictureError) in
      if index < inputs.count { return try Self.file(inputs[index]) }
      let output = written[index - inputs.count]
      return try Self.file(output.output.path, recognise, isPicture: output.job.kind != .book)
    }
    var files = facts.dropFirst(inputs.count)
    return OutputManifest(
      version: CommandList.version, script: script, status: Int(status.rawValue),
      sources: facts.prefix(inputs.count).map { $0.moved(to: folder.path(to: $0.path)) },
      outputs: outputs.map { job, index, output in
        let record = records[Place(job: ObjectIdentifier(job), index: index)]
        let sources = record?.sources ?? []
        return OutputManifest.Output(
          path: folder.path(to: output.path), function: job.kind.rawValue, script: job.position?.file,
          line: job.position?.line, sources: sources.map { folder.path(to: $0.path) },
          page: sources.first?.selection.page ?? 1, view: record?.view ?? "",
          pageCount: job.kind == .book && output.byteCount != nil ? job.result.pages : nil,
          state: Self.state(output, &files), message: output.failure?.text, note: run.graph.note(of: job)?.json)
      })
  }

  private struct Place: Hashable {
    let job: ObjectIdentifier
    let index: Int
  }

  private static func state(_ output: Job.Output, _ files: inout ArraySlice<OutputManifest.File>)
    -> OutputManifest.State
  {
    if let byteCount = output.byteCount, let file = files.popFirst() {
      return .written(file, total: byteCount, isKept: output.isKept)
    }
    return output.failure == nil ? .cancelled : .failed
  }

  /// Computes the sizes and digests of files on all workers.
  private static func facts(
    _ count: Int, on scheduler: Scheduler,
    _ body: @Sendable @escaping (Int) throws(PictureError) -> OutputManifest.File
  ) throws(PictureError) -> [OutputManifest.File] {
    let results = Mutex([Result<OutputManifest.File, PictureError>?](repeating: nil, count: count))
    scheduler.parallelFor(count, qos: .userInitiated) { index in
      let result = Result { () throws(PictureError) in try body(index) }
      results.withLock { $0[index] = result }
    }
    var facts: [OutputManifest.File] = []
    for result in results.withLock({ $0 }) { if let result { facts.append(try result.get()) } }
    return facts
  }

  private static func file(_ source: PictureFile) throws(PictureError) -> OutputManifest.File {
    let header = try? source.read().header
    return try file(
      source.path, picture: header.map { ($0.layout.width, $0.layout.height, $0.codec) })
  }

  private static func file(
    _ path: String, _ recognise: (InputFile) throws(PictureError) -> any PictureCodec, isPicture: Bool
  ) throws(PictureError) -> OutputManifest.File {
    guard isPicture, let input = try? InputFile(path: path), let codec = try? recognise(input),
      let header = try? codec.readHeader(input, .first)
    else { return try file(path, picture: nil) }
    return try file(path, picture: (header.layout.width, header.layout.height, header.codec))
  }

  private static func file(_ path: String, picture: (width: Int, height: Int, format: String)?) throws(PictureError)
    -> OutputManifest.File
  {
    let input: InputFile
    do throws(FileError) { input = try InputFile(path: path) } catch { throw .file(error) }
    return OutputManifest.File(
      path: path, byteCount: input.byteCount,
      digest: try SHA256.digest(of: input, count: input.byteCount).description, picture: picture)
  }
}

enum FileListKind {
  case manifest
  case digests

  /// Recognises the kind by the extension of a path; nil for any other extension.
  init?(path: String) {
    switch PathName.fileExtension(path) {
    case "json": self = .manifest
    case "sha256": self = .digests
    default: return nil
    }
  }
}

/// The folder of a list of files. Paths in the list are relative to it, so that the folder can be moved as a whole.
struct ListFolder {
  /// The folder as written in the list's path; nil for the current folder.
  private let given: String?

  /// - Parameter list: the path of the list.
  init(of list: String) {
    let folder = PathName.folder(list).map { $0.isEmpty ? "/" : String($0) }
    given = folder == "." ? nil : folder
  }

  /// Returns the path of a file relative to this folder, from its path relative to the current folder. Standard input
  /// keeps its name.
  func path(to file: String) -> String {
    guard let given, file != PipedInput.standardInput, let here = Self.real(".") else { return file }
    let folder = PathName.parts(PathName.absolute(given, in: here))
    let parts = PathName.parts(PathName.absolute(file, in: here))
    if parts.count > folder.count, Self.commonCount(parts, folder) == folder.count {
      return Self.joined(parts[folder.count...])
    }
    // A file outside this folder keeps its path if the script names it by an absolute path.
    guard !PathName.isAbsolute(file), let real = Self.real(given) else { return file }
    let from = PathName.parts(real)
    let common = Self.commonCount(parts, from)
    return Self.joined(from[common...].map { _ in ".." } + parts[common...])
  }

  private static func joined(_ parts: some Sequence<Substring>) -> String { parts.joined(separator: "/") }

  private static func commonCount(_ one: [Substring], _ other: [Substring]) -> Int {
    zip(one, other).prefix { $0.utf8.elementsEqual($1.utf8) }.count
  }

  /// Returns the path with links resolved; nil if it cannot be resolved, such as that of a missing file. Wraps
  /// `realpath(3)`.
  static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return PathBytes.text(found)
  }
}
