import ImageCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// Finds plugins, says what they are, and runs them in processes of their own.
///
/// Life: made, used from any thread, and invalidated once when nothing runs any more. Nothing is looked
/// for and no process is started before a plugin is asked for. Foreign code never enters this process.
/// Definitions and operations keep what they need alive, so workers end with `invalidate()` or, should
/// that be forgotten, with the last of them.
public final class PluginHost: Sendable {
  private let searchPath: [PluginFolder]
  private let worker: String
  private let deadline: Duration
  private let workersPerPlugin: Int
  private let verdicts: VerdictCache
  private let onEvent: @Sendable (PluginEvent) -> Void
  private let state = Monitor(State())
  /// Apart from the state, whose lock is held while a plugin is described.
  private let isInvalidated = Atomic<Bool>(false)

  private struct State {
    /// What is still to be described, last first; nil until the folders have been read.
    var waiting: [String]?
    var listings: [PluginListing] = []
    var found: [String: Found] = [:]
  }

  private struct Found {
    let plugin: PluginDescription
    let path: String
    let pool: WorkerPool
  }

  /// - Parameters:
  ///   - searchPath: folders in order of precedence, see `PluginFolder.standard`.
  ///   - worker: path of `imghost-plugin-worker`.
  ///   - deadline: how long one call may take before its worker is stopped.
  ///   - workersPerPlugin: processes a plugin may use at once; as many as there are workers of ours.
  ///   - verdicts: what `PluginCheck` has found: a plugin that had better not is never called twice at once.
  ///   - onEvent: called on the thread that runs the plugin with what it logs and how far it is.
  public init(
    searchPath: [PluginFolder], worker: String, deadline: Duration = .seconds(30),
    workersPerPlugin: Int = 4, verdicts: VerdictCache = VerdictCache(folder: nil),
    onEvent: @escaping @Sendable (PluginEvent) -> Void = { _ in }
  ) {
    precondition(workersPerPlugin > 0 && deadline > .zero)
    self.searchPath = searchPath
    self.worker = worker
    self.deadline = deadline
    self.workersPerPlugin = workersPerPlugin
    self.verdicts = verdicts
    self.onEvent = onEvent
  }

  /// Ends all workers and frees their memory. Operations still running end with `cancelled`, and so do
  /// later ones. May be called more than once.
  public func invalidate() {
    isInvalidated.store(true, ordering: .releasing)
    let pools = state.withLock { state in state.found.values.map(\.pool) }
    for pool in pools { pool.invalidate() }
  }

  /// Every file on the search path: the plugin in it, or why it is none. Describes, each in a process of
  /// its own, what has not been described before in this run.
  public func discover() -> [PluginListing] {
    state.withLock { state in
      while describeNext(&state) {}
      return state.listings
    }
  }

  /// The names of all plugins, for "did you mean".
  public func names() -> [String] { discover().compactMap(\.name) }

  /// The plugin of this name as an operation of the family "plugin", nil when there is none.
  ///
  /// Describes files in their order until it is found: a file's name promises nothing. The operations it
  /// makes throw `PictureError.plugin` for a picture the plugin could not work on.
  public func definition(named name: String) -> OperationDefinition? {
    let found = state.withLock { state -> Found? in
      while state.found[name] == nil, describeNext(&state) {}
      return state.found[name]
    }
    guard let found else { return nil }
    return OperationDefinition(found.plugin.operation) { (arguments) throws(OperationError) in
      try PluginOperation(found.plugin, pool: found.pool, arguments: arguments)
    }
  }

  /// The file that gives the plugin of this name, if it comes before `other` in the order of the search
  /// path; describes no file that comes later. For plugins that are no libraries.
  public func path(ofPlugin name: String, before other: String) -> String? {
    let limit = rank(other)
    return state.withLock { state in
      if state.waiting == nil { state.waiting = readFolders(&state).reversed() }
      while state.found[name] == nil, let next = state.waiting?.last, rank(next) < limit,
        describeNext(&state)
      {}
      guard let path = state.found[name]?.path, rank(path) < limit else { return nil }
      return path
    }
  }

  /// Where a file stands: its folder's place on the search path, then its name.
  private func rank(_ path: String) -> (Int, String) {
    let index = searchPath.firstIndex {
      path.hasPrefix($0.path.hasSuffix("/") ? $0.path : $0.path + "/")
    }
    return (index ?? searchPath.count, String(path.split(separator: "/").last ?? ""))
  }

  /// Describes the next file; false when there is none left. Under the lock, so that nothing is
  /// described twice.
  private func describeNext(_ state: inout State) -> Bool {
    if state.waiting == nil { state.waiting = readFolders(&state).reversed() }
    guard !isInvalidated.load(ordering: .acquiring), let path = state.waiting?.popLast() else {
      return false
    }
    let outcome: Result<PluginDescription, PluginRefusal>
    do throws(PluginRefusal) {
      outcome = .success(try describe(path, &state))
    } catch {
      outcome = .failure(error)
    }
    state.listings.append(PluginListing(path: path, outcome: outcome))
    return true
  }

  /// The files that count, each once however many ways lead to it; wraps `realpath(3)`.
  private func readFolders(_ state: inout State) -> [String] {
    var paths: [String] = []
    var seen: Set<String> = []
    for folder in searchPath {
      do throws(FileError) {
        for path in try folder.libraries() {
          let resolved = realpath(path, nil)
          defer { free(resolved) }
          let identity = resolved.map { String(cString: $0) } ?? path
          if seen.insert(identity).inserted { paths.append(path) }
        }
      } catch {
        guard folder.isExpected else { continue }
        let listing = PluginListing(path: folder.path, outcome: .failure(.file(error)))
        state.listings.append(listing)
      }
    }
    return paths
  }

  private func describe(_ path: String, _ state: inout State) throws(PluginRefusal)
    -> PluginDescription
  {
    try LibraryFile.check(path: path)
    var launcher = WorkerLauncher(program: worker, library: path, deadline: deadline)
    let (plugin, body) = try launcher.describe {
      self.isInvalidated.load(ordering: .acquiring)
    }
    if let other = state.found[plugin.name] {
      throw .hidden(name: plugin.name, by: other.path)
    }
    launcher.expected = body
    let isSuspect = verdicts.verdict(ofFile: path)?.wantsOneAtATime ?? false
    let pool = WorkerPool(
      plugin: plugin.name, launcher: launcher, limit: isSuspect ? 1 : workersPerPlugin,
      onEvent: onEvent)
    state.found[plugin.name] = Found(plugin: plugin, path: path, pool: pool)
    return plugin
  }
}
