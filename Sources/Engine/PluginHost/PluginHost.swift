import ImageCore
import Platform
import Synchronization

/// Finds plugins, says what they are, and runs them in processes of their own.
///
/// Life: made, used from any thread, and invalidated once when nothing runs any more. Nothing is looked
/// for and no process is started before a plugin is asked for. Foreign code never enters this process unless
/// `inProcess` says so.
/// Definitions and operations keep what they need alive, so workers end with `invalidate()` or, should
/// that be forgotten, with the last of them.
public final class PluginHost: Sendable {
  let searchPath: [PluginFolder]
  let worker: String
  let deadline: Duration
  let describeDeadline: Duration
  let workersPerPlugin: Int
  let inProcess: Bool
  let frei0rSideMultiple: Int
  let cacheFolder: String?
  let verdicts: VerdictCache
  let onEvent: @Sendable (PluginEvent) -> Void
  let state = Monitor(State())
  /// Apart from the state, whose lock is held while a plugin is described.
  let isInvalidated = Atomic<Bool>(false)

  struct State {
    /// All files that count, in their order; nil until the folders have been read.
    var entries: [Entry]?
    /// Folders that cannot be read.
    var folders: [PluginListing] = []
    var found: [String: Found] = [:]
    /// Made when the first file is described.
    var cache: DescriptionCache?
    var keptDescriptions = 0
  }

  /// A file that counts.
  struct Entry {
    let path: String
    /// The name that the file of a frei0r plugin gives it; nil for native ones, whose names only they know.
    let frei0rName: String?
    /// Nil until it has been described.
    var listing: PluginListing?
  }

  struct Found {
    let plugin: PluginDescription
    let path: String
    let pool: WorkerPool
    let onDepthLost: @Sendable () -> Void
  }

  /// - Parameters:
  ///   - searchPath: folders in order of precedence, see `PluginFolder.standard`.
  ///   - worker: path of `imghost-plugin-worker`.
  ///   - deadline: how long one call may take before its worker is stopped, for each 100 megapixels begun.
  ///   - describeDeadline: how long a library may take to be loaded and described.
  ///   - workersPerPlugin: processes a plugin may use at once; as many as there are workers of ours.
  ///   - frei0rSideMultiple: what the sides of frei0r plugins' pictures are padded to. Some go wrong with
  ///     anything but 8, which the specification promises them.
  ///   - cacheFolder: where descriptions are kept between runs; nil for nowhere. Need not exist.
  ///   - inProcess: runs plugins in this process, for code that is trusted: a crash, a hang or a stray
  ///     write is then the host's own. Listing plugins still happens in processes of their own.
  ///   - verdicts: what `PluginCheck` has found: a plugin that had better not is never called twice at once,
  ///     and one that gives the same in strips may have several workers for one picture.
  ///   - onEvent: called on the thread that runs the plugin with what it logs and how far it is.
  public init(
    searchPath: [PluginFolder], worker: String, deadline: Duration = .seconds(30),
    describeDeadline: Duration = .seconds(10), workersPerPlugin: Int = 4,
    frei0rSideMultiple: Int = 8, cacheFolder: String? = nil,
    inProcess: Bool = false, verdicts: VerdictCache = VerdictCache(folder: nil),
    onEvent: @escaping @Sendable (PluginEvent) -> Void = { _ in }
  ) {
    precondition(workersPerPlugin > 0 && deadline > .zero && frei0rSideMultiple > 0)
    self.searchPath = searchPath
    self.worker = worker
    self.deadline = deadline
    self.describeDeadline = describeDeadline
    self.workersPerPlugin = workersPerPlugin
    self.inProcess = inProcess
    self.frei0rSideMultiple = frei0rSideMultiple
    self.cacheFolder = cacheFolder
    self.verdicts = verdicts
    self.onEvent = onEvent
  }

  /// Where a user with this environment has descriptions kept, nil for nowhere.
  ///
  /// - Parameters:
  ///   - cacheHome: the value of `XDG_CACHE_HOME`.
  ///   - home: the value of `HOME`.
  public static func standardCacheFolder(cacheHome: String?, home: String?) -> String? {
    CacheFolder.standardPath("plugins", cacheHome: cacheHome, home: home)
  }

  /// Ends all workers and frees their memory. Operations still running end with `cancelled`, and so do
  /// later ones. May be called more than once.
  public func invalidate() {
    isInvalidated.store(true, ordering: .releasing)
    let pools = state.withLock { state in state.found.values.map(\.pool) }
    for pool in pools { pool.invalidate() }
  }

  /// Every file on the search path: the plugin in it, or why it is none. Describes, each in a process of
  /// its own, what has not been described before.
  public func discover() -> [PluginListing] {
    state.withLock { state in
      describe(Array(readFolders(&state)), &state)
      return state.folders + state.entries!.compactMap(\.listing)
    }
  }

  /// What keeps plugins apart here, found out by a worker that tries to break out.
  public func isolation() -> IsolationReport { WorkerLauncher.probe(program: worker) }

  /// The names of all plugins, for "did you mean". Those of frei0r plugins come from their files, which are
  /// not described for this.
  public func names() -> [String] {
    state.withLock { state in
      describe(readFolders(&state).filter { state.entries![$0].frei0rName == nil }, &state)
      return state.entries!.compactMap { entry in
        guard let listing = entry.listing else { return entry.frei0rName }
        return listing.name
      }
    }
  }

  /// The plugin of this name as an operation of the family "plugin", nil when there is none.
  ///
  /// A native file's name promises nothing: the files in which the plugin's name occurs are described in
  /// their order until it is found, and only then the others. Of frei0r plugins it describes the one file.
  /// The operations it makes throw `PictureError.plugin` for a picture the plugin could not work on.
  public func definition(named name: String) -> OperationDefinition? {
    guard let found = find(name) else { return nil }
    return OperationDefinition(found.plugin.operation) { (arguments) throws(OperationError) in
      try PluginOperation(
        found.plugin, pool: found.pool, arguments: arguments, onDepthLost: found.onDepthLost)
    }
  }

  /// The file that gives the plugin of this name, if it comes before `other` in the order of the search
  /// path; describes no file that comes later, nor one in which the name does not occur. For plugins that
  /// are no libraries.
  public func path(ofPlugin name: String, before other: String) -> String? {
    let limit = rank(other)
    let path = state.withLock { state in
      find(name, &state) { self.rank($0) < limit }
      return state.found[name]?.path
    }
    return path.flatMap { rank($0) < limit ? $0 : nil }
  }

  /// The file of the plugin of this name; nil for one that has not been asked for.
  public func path(ofPlugin name: String) -> String? { state.withLock { $0.found[name]?.path } }

  /// Why files that seem to hold the plugin of this name give none, each a sentence with the file's path:
  /// those that are named after it, or, without any, those in which the name occurs.
  public func refusals(ofPlugin name: String) -> [String] {
    state.withLock { state in
      let refused = readFolders(&state).map { state.entries![$0] }.filter {
        $0.listing?.refusal != nil
      }
      let named = refused.filter { isNamed(after: name, $0) }
      return (named.isEmpty ? refused.filter { mayGive(name, $0) } : named)
        .compactMap { $0.listing?.refusal }
    }
  }

  /// Where a file stands: its folder's place on the search path, then its name.
  private func rank(_ path: String) -> (Int, String) {
    let index = searchPath.firstIndex {
      path.utf8.starts(with: ($0.path.hasSuffix("/") ? $0.path : $0.path + "/").utf8)
    }
    return (index ?? searchPath.count, String(PathName.name(path)))
  }

  /// What the plugin of this name says of itself, nil when there is none.
  public func description(named name: String) -> PluginDescription? { find(name)?.plugin }

  private func find(_ name: String) -> Found? {
    state.withLock { state in
      find(name, &state) { _ in true }
      if state.found[name] == nil && !Frei0rName.isPrefixed(name) {
        describe(readFolders(&state).filter { state.entries![$0].frei0rName == nil }, &state)
      }
      return state.found[name]
    }
  }

  /// Lists the files that count, each once however many ways lead to it; wraps `realpath(3)`.
  func readFolders(_ state: inout State) -> Range<Int> {
    if let entries = state.entries { return entries.indices }
    var entries: [Entry] = []
    var seen: Set<String> = []
    for folder in searchPath {
      do throws(FileError) {
        for path in try folder.libraries() {
          let resolved = realpath(path, nil)
          defer { free(resolved) }
          guard seen.insert(resolved.map { String(cString: $0) } ?? path).inserted else { continue }
          let name = folder.files == .frei0r ? Frei0rName.plugin(path: path) : nil
          if folder.files == .frei0r && name == nil { continue }
          entries.append(Entry(path: path, frei0rName: name))
        }
      } catch {
        guard folder.isExpected else { continue }
        state.folders.append(
          PluginListing(
            path: folder.path, outcome: .failure(.file(error)), isFrei0r: folder.files == .frei0r))
      }
    }
    state.entries = entries
    return entries.indices
  }

  /// Says once that a plugin works with fewer bits than a picture has.
  func depthNote(_ plugin: String) -> @Sendable () -> Void {
    let isSaid = Flag()
    let onEvent = onEvent
    return {
      guard !isSaid.value.exchange(true, ordering: .relaxed) else { return }
      onEvent(
        .log(
          plugin: plugin, isWarning: false,
          text: "works with 8 bits a sample; what pictures of 16 bits have beyond that is lost"))
    }
  }
}

/// An atomic that closures can share.
private final class Flag: Sendable {
  let value = Atomic<Bool>(false)
}
