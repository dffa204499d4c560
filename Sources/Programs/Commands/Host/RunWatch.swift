import CommandInterface
import ImageCore
import ImagePipeline
import Platform

/// `imghost run --watch`: runs a script again whenever the script or a file that it reads changes, and makes only the
/// outputs that this affects.
///
/// Each run is a process of its own with `--only-changed`, and lists the files that it reads in `WatchedFiles`.
enum RunWatch {
  static let option = CommandOption(
    name: "--watch", value: nil,
    help: "run with --only-changed, and again whenever the script or a file that it reads changes, until Ctrl-C")

  /// Runs the script repeatedly until a signal ends the process.
  ///
  /// - Parameter script: the path of the script.
  static func run(_ line: ParsedLine, script: String) throws(UsageError) -> ExitStatus {
    for option in ["--dry-run", "--shard"] where line.has(option) {
      throw .other("\(Self.option.name) and \(option) contradict each other; give one of them")
    }
    guard script != "-" else { throw .other("\(Self.option.name) needs a script in a file") }
    guard let watch = FolderWatch() else {
      throw .other("\(Self.option.name): folders cannot be watched here: \(systemText(errno))")
    }
    let folder: ScratchFolder
    do throws(FileError) { folder = try ScratchFolder() } catch { throw .other("\(Self.option.name): \(error)") }
    let list = folder.path + "/files"
    setenv(WatchedFiles.variable, list, 1)
    var (outputs, reads): (Set<String>, Set<String>) = ([], [script])
    var wanted = folders(of: reads)
    var watched = present(wanted)
    watch.watch(watched)
    let own =
      [ManifestFile.option.name, DependencyFile.option.name, DesignFile.option.name]
      + TraceFiles.Kind.allCases.map(\.option)
    let ownFiles = own.flatMap(line.values)
    while true {
      let start = time()
      let ending = makeOnce(line)
      // Ctrl-C has ended the run, so this process ends, too.
      if let signal = interruption(ending) { return .interrupted(by: signal) }
      if let files = WatchedFiles.read(list) {
        outputs.formUnion(files.outputs)
        reads = files.sources.union([script])
      }
      // Folders may have been removed or created since. In place of a missing folder, its nearest existing ancestor is
      // watched, which reports when the folder is created.
      wanted.formUnion(folders(of: reads))
      let present = present(wanted)
      watch.watch(present)
      let new = present.subtracting(watched)
      watched = present
      // The newly watched folders did not report changes that were made during the run.
      if hasChanged(new, reads, since: start) { continue }
      Terminal.error("imghost: waiting for changes; Ctrl-C ends")
      guard waitForChange(watch, ignoring: outputs.union(ownFiles), reads) else { return .someFailed }
    }
  }

  /// Returns the current time in nanoseconds since 1970, minus the granularity of file times, so that no later change
  /// seems to be earlier.
  private static func time() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return now.tv_sec * 1_000_000_000 + now.tv_nsec - 20_000_000
  }

  /// Returns whether one of the folders, or one of the files in them, has changed since a time.
  private static func hasChanged(_ folders: Set<String>, _ files: Set<String>, since start: Int) -> Bool {
    let inside = files.filter { folders.contains(folder(of: $0)) }
    return folders.union(inside).contains { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return true }
      let changed = status.changeTime
      return changed.tv_sec * 1_000_000_000 + changed.tv_nsec > start
    }
  }

  /// Returns the signal that ended a run; nil if the run ended by itself.
  private static func interruption(_ ending: ProcessEnding?) -> Int32? {
    switch ending {
    case .signal(let number)?: number
    case .exit(let status)?: status > 128 ? status - 128 : nil
    case nil: nil
    }
  }

  /// Runs the script once. Meanwhile, Ctrl-C is blocked in this process, so that the run ends first.
  private static func makeOnce(_ line: ParsedLine) -> ProcessEnding? {
    var words = line.arguments
    guard let place = words.firstIndex(of: option.name) else { return nil }
    words[place...place] = line.has(RecordedRun.onlyChanged.name) ? [] : [RecordedRun.onlyChanged.name]
    var (interrupt, before) = (sigset_t(), sigset_t())
    sigemptyset(&interrupt)
    sigaddset(&interrupt, SIGINT)
    pthread_sigmask(SIG_BLOCK, &interrupt, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return (try? ChildProcess(ownProgram, [RunCommand.name] + words, name: "imghost", signals: .unblocked))?.wait()
  }

  /// Waits until a file changes that is neither an output nor a temporary file. In folders from which only plugins are
  /// read, only changes to plugins count. Returns false if waiting fails.
  private static func waitForChange(_ watch: FolderWatch, ignoring outputs: Set<String>, _ reads: Set<String>) -> Bool {
    let pluginFolders = Set(HostEnvironment.pluginFolders.map(\.path))
      .subtracting(reads.filter { !isPlugin($0) }.map(folder(of:)))
    var places = Set(outputs.map { InternedPath(realPathOf: $0).text })
    // The run may also have created the folders of its outputs.
    for place in places {
      var folder = folder(of: place)
      while folder != "/", places.insert(folder).inserted { folder = Self.folder(of: folder) }
    }
    while let changed = watch.wait() {
      let isOwn = { (path: String) in
        places.contains(InternedPath(realPathOf: path).text) || PathName.name(path).hasPrefix(".imghost-")
          || !isPlugin(path) && pluginFolders.contains(folder(of: path)) && isFile(path)
      }
      // The set is empty if the system has lost changes, because there were too many.
      guard changed.isEmpty || !changed.allSatisfy(isOwn) else { continue }
      // An editor may replace several files in a row, so this waits for the others before the next run.
      usleep(50_000)
      return true
    }
    return false
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private static func isPlugin(_ path: String) -> Bool { [".so", ".lua"].contains(where: path.hasSuffix) }

  private static func folders(of paths: Set<String>) -> Set<String> {
    Set(paths.map(folder(of:)))
  }

  /// Returns the folders to watch: each folder or, if it is missing, its nearest existing ancestor; and the folders of
  /// plugins.
  private static func present(_ folders: Set<String>) -> Set<String> {
    Set(folders.map(existing) + HostEnvironment.pluginFolders.map(\.path))
  }

  /// Returns the folder or, if it is missing, its nearest existing ancestor.
  private static func existing(_ folder: String) -> String {
    var folder = folder
    while folder != ".", folder != "/", FileIdentity(at: folder) == nil { folder = Self.folder(of: folder) }
    return folder
  }

  private static func folder(of path: String) -> String {
    guard let folder = PathName.folder(path) else { return "." }
    return folder.isEmpty ? "/" : String(folder)
  }
}
