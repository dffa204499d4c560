import CommandInterface
import ImageCore
import ImagePipeline
import Platform

/// `imghost run --watch`: runs a script whenever it changes, or a file that it reads, and makes only what has changed.
///
/// Each run is a process of its own, with `--only-changed`. It tells by `--depfile` which files it reads.
enum RunWatch {
  static let option = CommandOption(
    name: "--watch", value: nil,
    help: "run with --only-changed, and again whenever the script or a file that it reads changes, until Ctrl-C")

  /// Runs until a signal ends the process.
  ///
  /// - Parameter script: the path of the script.
  static func run(_ line: ParsedLine, script: String) throws(UsageError) -> ExitStatus {
    for option in ["--dry-run", "--shard", DependencyFile.option.name] where line.has(option) {
      throw .other("\(Self.option.name) and \(option) contradict each other; give one of them")
    }
    guard script != "-" else { throw .other("\(Self.option.name) needs a script in a file") }
    guard let watch = FolderWatch() else {
      throw .other("\(Self.option.name): folders cannot be watched here: \(systemText(errno))")
    }
    let rule: TemporaryRule
    do throws(FileError) { rule = try TemporaryRule() } catch { throw .other("\(Self.option.name): \(error)") }
    var reads: Set<String> = [script]
    var watched = folders(of: reads)
    watch.watch(watched)
    let own = [ManifestFile.option.name, DesignFile.option.name] + TraceFiles.Kind.allCases.map(\.option)
    let ownFiles = own.flatMap(line.values)
    while true {
      let ending = makeOnce(line, rule.path)
      // Ctrl-C ends the run, and then this process.
      if let signal = interruption(ending) { return .interrupted(by: signal) }
      reads = rule.read() ?? reads
      // A folder that was not watched may have changed meanwhile.
      let all = folders(of: reads)
      if !all.isSubset(of: watched) {
        watch.watch(all)
        watched.formUnion(all)
        continue
      }
      Terminal.error("imghost: waiting for changes; Ctrl-C ends")
      guard waitForChange(watch, ignoring: rule.outputs.union(ownFiles)) else { return .someFailed }
    }
  }

  /// Returns the signal that has ended a run; nil for one that ended by itself.
  private static func interruption(_ ending: ProcessEnding?) -> Int32? {
    switch ending {
    case .signal(let number)?: number
    case .exit(let status)?: status > 128 ? status - 128 : nil
    case nil: nil
    }
  }

  /// Runs the script once. Ctrl-C reaches only that run.
  private static func makeOnce(_ line: ParsedLine, _ rule: String) -> ProcessEnding? {
    var words = line.arguments
    guard let place = words.firstIndex(of: option.name) else { return nil }
    words[place...place] =
      [DependencyFile.option.name, rule]
      + (line.has(RecordedRun.onlyChanged.name) ? [] : [RecordedRun.onlyChanged.name])
    var (interrupt, before) = (sigset_t(), sigset_t())
    sigemptyset(&interrupt)
    sigaddset(&interrupt, SIGINT)
    pthread_sigmask(SIG_BLOCK, &interrupt, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return (try? ChildProcess(ownProgram, [RunCommand.name] + words, name: "imghost", signals: .unblocked))?.wait()
  }

  /// Waits until a file changes that is no output and no temporary file. Several changes at a time are one.
  private static func waitForChange(_ watch: FolderWatch, ignoring outputs: Set<String>) -> Bool {
    let places = Set(outputs.map { InternedPath(realPathOf: $0).text })
    while let changed = watch.wait() {
      let isOwn = { (path: String) in
        places.contains(InternedPath(realPathOf: path).text) || PathName.name(path).hasPrefix(".imghost-")
      }
      // No file is named if more have changed than the system could keep.
      guard changed.isEmpty || !changed.allSatisfy(isOwn) else { continue }
      // An editor may replace several files, one after another.
      usleep(50_000)
      return true
    }
    return false
  }

  private static func folders(of paths: Set<String>) -> Set<String> {
    let folders = paths.map { PathName.folder($0).map(String.init) ?? "." } + HostEnvironment.pluginFolders.map(\.path)
    return Set(folders.map { $0.isEmpty ? "/" : $0 })
  }
}

/// The file in which runs tell what they read, in a folder of its own.
private final class TemporaryRule {
  private let folder: ScratchFolder
  var path: String { folder.path + "/rule.d" }
  /// The outputs of the last run.
  private(set) var outputs: Set<String> = []

  init() throws(FileError) { folder = try ScratchFolder() }

  /// Returns the files that the last run has read; nil if it has written nothing.
  func read() -> Set<String>? {
    guard let file = try? InputFile(path: path), let bytes = try? file.bytes(at: 0, count: file.byteCount),
      let rule = DependencyFile.parts(ofRule: PathBytes.text(bytes: bytes))
    else { return nil }
    outputs = Set(rule.outputs)
    return Set(rule.sources)
  }
}
