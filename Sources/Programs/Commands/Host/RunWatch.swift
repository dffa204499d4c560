import CommandInterface
import ImageCore
import ImagePipeline
import Platform
import Reporting

/// `imghost run --watch`: runs a script again whenever the script or a file that it reads changes, and makes only the
/// outputs that the change affects.
///
/// Each run is a process of its own with `--only-changed`, and lists the files that it reads in `WatchedFiles`.
enum RunWatch {
  static let option = CommandOption(
    name: "--watch", value: nil,
    help: "run with --only-changed, and again whenever the script or a file that it reads changes, until Ctrl-C")

  /// The current run of the script, and the signal that is to end this process.
  private struct State {
    var child: pid_t?
    var signal: Int32?
  }

  /// Runs the script repeatedly until a signal ends the process, or waiting for changes fails.
  ///
  /// - Parameter script: the path of the script.
  static func run(_ line: ParsedLine, script: String) throws(UsageError) -> ExitStatus {
    for option in ["--dry-run", "--shard"] where line.has(option) {
      throw .other("\(Self.option.name) and \(option) contradict each other; give one of them")
    }
    guard script != "-", kind(of: script).map({ $0 == S_IFREG }) ?? true else {
      throw .other("\(Self.option.name) needs a script in a file")
    }
    guard let watch = FolderWatch() else {
      throw .other("\(Self.option.name): folders cannot be watched here: \(systemText(errno))")
    }
    let folder: ScratchFolder
    do throws(FileError) { folder = try ScratchFolder() } catch { throw .other("\(Self.option.name): \(error)") }
    defer { folder.remove() }
    let list = folder.path + "/files"
    setenv(WatchedFiles.variable, list, 1)
    let state = endOnSignals(folder)
    var (outputs, known): (Set<String>, WatchedInputs) = ([], WatchedInputs(read: [script], searched: []))
    var wanted = known.folders
    var watched = present(wanted)
    watch.watch(watched)
    let own =
      [ManifestFile.option.name, DependencyFile.option.name, DesignFile.option.name]
      + TraceFiles.Kind.allCases.map(\.option)
    let ownFiles = own.flatMap(line.values)
    while true {
      let start = time()
      let ending = makeOnce(line, state)
      if let signal = state.withLock({ $0.signal }) ?? interruption(ending) { return .interrupted(by: signal) }
      if let paths = WatchedFiles.read(list) {
        outputs.formUnion(paths.outputs)
        known = WatchedInputs(read: paths.read.union([script]), searched: paths.searched)
      }
      // Folders may have been removed or created during the run. In place of a missing folder, its nearest existing
      // ancestor is watched, which reports when the folder is created.
      wanted.formUnion(known.folders)
      let present = present(wanted)
      watch.watch(present)
      let new = present.subtracting(watched)
      watched = present
      // The newly watched folders did not report changes that were made during the run.
      if hasChanged(new, known.read, since: start) { continue }
      if !line.has("--quiet") { Terminal.error("imghost: waiting for changes; Ctrl-C ends") }
      let isOwn = ownPaths(outputs.union(ownFiles), known)
      // After a failed run, any change may help. Otherwise, only changes of plugins, of folders, and of what the run
      // has read or searched count.
      let isRelevant = { (path: String) in
        if ending != .exit(0) || isPlugin(path) || known.contains(path) { return true }
        guard let kind = kind(of: path) else { return Self.present(wanted) != present }
        return kind == S_IFDIR && !PathName.isHidden(String(PathName.name(path)))
      }
      guard waitForChange(watch, where: { !isOwn($0) && isRelevant($0) }) else { return .someFailed }
    }
  }

  /// Receives the signals that end processes. A signal is passed on to the run of the script, after which this process
  /// ends; without a run, this process ends at once.
  private static func endOnSignals(_ folder: ScratchFolder) -> Monitor<State> {
    let state = Monitor(State())
    let signals = Interruption.block()
    startThread {
      while true {
        let signal = Interruption.next(of: signals)
        let child = state.withLock { state in
          state.signal = signal
          return state.child
        }
        guard let child else {
          folder.remove()
          _exit(ExitStatus.interrupted(by: signal).rawValue)
        }
        kill(child, signal)
      }
    }
    return state
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
    let inside = files.filter { folders.contains(WatchedInputs.folder(of: $0)) }
    return folders.union(inside).contains { path in
      var status = stat()
      // If a file was removed, its folder has changed. All other missing files were missing before.
      guard stat(path, &status) == 0 else { return false }
      let changed = status.changeTime
      return changed.tv_sec * 1_000_000_000 + changed.tv_nsec > start
    }
  }

  /// Returns the signal that ended a run, directly or according to its exit status; nil if none did.
  private static func interruption(_ ending: ProcessEnding?) -> Int32? {
    switch ending {
    case .signal(let number)?: number
    case .exit(let status)?: status > 128 ? status - 128 : nil
    case nil: nil
    }
  }

  /// Runs the script once. Returns nil if the run is not started, or waiting for it fails. Ctrl-C reaches the run
  /// twice: directly, and through this process. The second signal has no effect.
  private static func makeOnce(_ line: ParsedLine, _ state: Monitor<State>) -> ProcessEnding? {
    var words = line.arguments
    guard let place = words.firstIndex(of: option.name) else { return nil }
    words[place...place] = line.has(RecordedRun.onlyChanged.name) ? [] : [RecordedRun.onlyChanged.name]
    let child = state.withLock { state -> ChildProcess? in
      guard state.signal == nil else { return nil }
      let child = try? ChildProcess(ownProgram, [RunCommand.name] + words, name: "imghost", signals: .unblocked)
      state.child = child?.identifier
      return child
    }
    child?.waitForEnd()
    state.withLock { $0.child = nil }
    return child?.wait()
  }

  /// Waits for a change of a path that is relevant. Returns false if waiting fails.
  private static func waitForChange(_ watch: FolderWatch, where isRelevant: (String) -> Bool) -> Bool {
    while let changed = watch.wait() {
      // The set is empty if the system has lost changes, because there were too many.
      guard changed.isEmpty || changed.contains(where: isRelevant) else { continue }
      // An editor may replace several files in a row, so this waits for the others before the next run.
      usleep(50_000)
      return true
    }
    return false
  }

  /// Returns a function that recognises outputs, their folders, records and temporary files. In folders from which only
  /// plugins are read, it also recognises all files that are not plugins.
  private static func ownPaths(_ outputs: Set<String>, _ known: WatchedInputs) -> (String) -> Bool {
    let pluginFolders = Set(HostEnvironment.pluginFolders.map(\.path))
    let places = Set(outputs.map { InternedPath(realPathOf: $0).text })
    // The run may also have created the folders of its outputs. A different folder in the place of one of them is a
    // change.
    var folders: [String: FileIdentity] = [:]
    for place in places {
      var folder = WatchedInputs.folder(of: place)
      while folder != "/", folders[folder] == nil, let identity = FileIdentity(at: folder) {
        folders[folder] = identity
        folder = WatchedInputs.folder(of: folder)
      }
    }
    return { [folders] path in
      let name = PathName.name(path)
      if name == ".imghost" || name.hasPrefix(".imghost-") { return true }
      let place = InternedPath(realPathOf: path).text
      if let folder = folders[place] { return FileIdentity(at: place) == folder }
      return places.contains(place)
        || !isPlugin(path) && pluginFolders.contains(WatchedInputs.folder(of: path)) && kind(of: path) == S_IFREG
          && !known.contains(path)
    }
  }

  /// Returns the file type bits of the mode, such as `S_IFREG`; nil if the path leads nowhere.
  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private static func isPlugin(_ path: String) -> Bool { [".so", ".lua"].contains(where: path.hasSuffix) }

  /// Returns the folders to watch: each folder or, if it is missing, its nearest existing ancestor; and the folders of
  /// plugins.
  private static func present(_ folders: Set<String>) -> Set<String> {
    Set(folders.map(existing) + HostEnvironment.pluginFolders.map(\.path))
  }

  /// Returns the folder or, if it is missing, its nearest existing ancestor.
  private static func existing(_ folder: String) -> String {
    var folder = folder
    while folder != ".", folder != "/", FileIdentity(at: folder) == nil { folder = WatchedInputs.folder(of: folder) }
    return folder
  }
}
