import ImageCore
import Platform
import Synchronization

/// Finds and describes plugins, and runs them in processes of their own.
///
/// Life cycle: made, used from any thread, and invalidated when no plugin runs any more. No folder is read and no process
/// started before a plugin is asked for. Foreign code enters this process only with `inProcess`.
///
/// Definitions and operations keep what they need alive. Workers end with `invalidate()`, or else with the last of them.
package final class PluginHost: Sendable {
  /// The settings of a host.
  package struct Configuration: Sendable {
    /// The folders of plugins in order of precedence, see `PluginFolder.standard`.
    package var searchPath: [PluginFolder]
    /// The path of `imghost-plugin-worker`.
    package var worker: String
    /// The time for each 100 megapixels begun after which a call's worker is stopped.
    package var deadline = Duration.seconds(30)
    /// The time in which a library must be loaded and described.
    package var describeDeadline = Duration.seconds(10)
    /// The number of processes that a plugin may use at once.
    package var workersPerPlugin = 4
    /// The number to whose multiples the sides of frei0r plugins' pictures are padded. Some plugins go wrong with
    /// anything but 8, which the specification promises.
    package var frei0rSideMultiple = 8
    /// The folder of descriptions that are kept between runs; nil for none. It need not exist.
    package var cacheFolder: String?
    /// Whether plugins run in this process, for trusted code: a crash, a hang or a stray write is then the host's own.
    /// Plugins are still listed in processes of their own.
    package var inProcess = false
    /// The command that workers run under, for authors of plugins: the beginning of a shell command, such as
    /// `valgrind -q`, to which that of the worker is appended. The workers are then neither confined nor limited in
    /// time, share this process's terminal, and are never started a second time. Libraries are described without it,
    /// unless that fails, as for those that were built for a sanitizer. nil for none.
    package var workerCommand: String?
    /// The findings of `PluginCheck`. A plugin may not be called twice at once if that failed; it may have several
    /// workers for one picture if strips give the same result.
    package var verdicts = VerdictCache(folder: nil)

    package init(searchPath: [PluginFolder], worker: String) {
      self.searchPath = searchPath
      self.worker = worker
    }
  }

  let configuration: Configuration
  let onEvent: @Sendable (PluginEvent) -> Void
  let state = Monitor(State())
  /// Not part of the state, whose lock is held while a plugin is described.
  let isInvalidated = Atomic<Bool>(false)

  struct State {
    /// The plugin files, in order; nil until the folders have been read.
    var entries: [Entry]?
    /// Folders that cannot be read.
    var folders: [PluginListing] = []
    var found: [String: Found] = [:]
    /// The cache, made when the first file is described.
    var cache: DescriptionCache?
    var keptDescriptions = 0
  }

  /// A plugin file.
  struct Entry {
    let path: String
    /// The name of a frei0r plugin, which its file gives; nil for a native plugin, which names itself.
    let frei0rName: String?
    /// Nil until it has been described.
    var listing: PluginListing?
  }

  struct Found {
    let plugin: PluginDescription
    let path: String
    let pool: WorkerPool
    /// The workers of a codec; nil for other plugins.
    let codecs: CodecPool?
    let onDepthLost: @Sendable () -> Void
  }

  /// - Parameter onEvent: called on the thread that runs a plugin with its log and its progress.
  package init(_ configuration: Configuration, onEvent: @escaping @Sendable (PluginEvent) -> Void = { _ in }) {
    precondition(configuration.workersPerPlugin > 0 && configuration.deadline > .zero)
    precondition(configuration.frei0rSideMultiple > 0)
    self.configuration = configuration
    self.onEvent = onEvent
  }

  /// The folder of kept descriptions for a user with this environment; nil for none.
  ///
  /// - Parameters:
  ///   - cacheHome: the value of `XDG_CACHE_HOME`.
  ///   - home: the value of `HOME`.
  package static func standardCacheFolder(cacheHome: String?, home: String?) -> String? {
    CacheFolder.standardPath("plugins", cacheHome: cacheHome, home: home)
  }

  /// Ends all workers and frees their memory. Operations still running end with `cancelled`, and so do
  /// later ones. May be called more than once.
  package func invalidate() {
    isInvalidated.store(true, ordering: .releasing)
    let found = state.withLock { state in Array(state.found.values) }
    for plugin in found {
      plugin.pool.invalidate()
      plugin.codecs?.invalidate()
    }
  }

  /// Lists every file on the search path, with its plugin or the reason why it has none. Files that were not described
  /// before are described, each in a process of its own.
  package func discover() -> [PluginListing] {
    state.withLock { state in
      describe(Array(readFolders(&state)), &state)
      return state.folders + state.entries!.compactMap(\.listing)
    }
  }

  /// Tests the isolation of plugins on this machine with a worker that tries to break out.
  package func isolation() -> IsolationReport { WorkerLauncher.probe(program: configuration.worker) }

  /// The names of all plugins that scripts can call, for "did you mean". Names of frei0r plugins come from their files, which are not described
  /// for this.
  package func names() -> [String] {
    state.withLock { state in
      describe(readFolders(&state).filter { state.entries![$0].frei0rName == nil }, &state)
      return state.entries!.compactMap { entry in
        guard let listing = entry.listing else { return entry.frei0rName }
        return (try? listing.outcome.get())?.kind == .codec ? nil : listing.name
      }
    }
  }

  /// The plugin of this name as an operation of the family "plugin"; nil if there is none.
  ///
  /// A native plugin may be in a file of any name. Files in which the name occurs are described first, in order, until
  /// the plugin is found; then the others. For a frei0r plugin one file is described. The operations throw
  /// `PictureError.plugin` for a picture on which the plugin fails.
  package func definition(named name: String) -> OperationDefinition? {
    guard let found = find(name), found.plugin.kind != .codec else { return nil }
    let descriptor = found.plugin.operation
    let scales = found.plugin.scales
    return OperationDefinition(
      descriptor, scaled: { scales ? $0.scaled(by: $1, descriptor.parameters) : nil }
    ) { (arguments) throws(OperationError) in
      try PluginOperation(found.plugin, pool: found.pool, arguments: arguments, onDepthLost: found.onDepthLost)
    }
  }

  /// The file of the plugin with this name, if it comes before `other` in the search path. For plugins that are not
  /// libraries. Files that come later, or in which the name does not occur, are not described.
  package func path(ofPlugin name: String, before other: String) -> String? {
    let limit = rank(other)
    let path = state.withLock { state in
      find(name, &state) { self.rank($0) < limit }
      return state.found[name]?.path
    }
    return path.flatMap { rank($0) < limit ? $0 : nil }
  }

  /// The file of the plugin of this name; nil if it was not asked for before.
  package func path(ofPlugin name: String) -> String? { state.withLock { $0.found[name]?.path } }

  /// The reasons why files that seem to have the plugin of this name have none, each with the file's path. These are files
  /// that are named after it, or else files in which the name occurs.
  package func refusals(ofPlugin name: String) -> [String] {
    state.withLock { state in
      let refused = readFolders(&state).map { state.entries![$0] }.filter {
        $0.listing?.refusal != nil
      }
      let named = refused.filter { isNamed(after: name, $0) }
      return (named.isEmpty ? refused.filter { mayGive(name, $0) } : named).compactMap { $0.listing?.refusal }
    }
  }

  /// The order of a file: its folder's index in the search path, then its name.
  private func rank(_ path: String) -> (Int, String) {
    let index = configuration.searchPath.firstIndex {
      path.utf8.starts(with: ($0.path.hasSuffix("/") ? $0.path : $0.path + "/").utf8)
    }
    return (index ?? configuration.searchPath.count, String(PathName.name(path)))
  }

  /// The names and versions of all plugins that were found so far, sorted. The version of a codec names its library.
  package var versions: [(name: String, version: String)] {
    state.withLock { state in
      state.found.map { ($0.key, $0.value.codecs?.version ?? $0.value.plugin.version) }.sorted { $0.0 < $1.0 }
    }
  }

  /// The version of the plugin with a name, codecs among them; nil if there is none.
  package func version(ofPlugin name: String) -> String? { find(name)?.plugin.version }

  /// The description of the plugin with a name; nil if there is none.
  package func description(named name: String) -> PluginDescription? { find(name)?.plugin }

  func find(_ name: String) -> Found? {
    state.withLock { state in
      find(name, &state) { _ in true }
      if state.found[name] == nil && !Frei0rName.isPrefixed(name) {
        describe(readFolders(&state).filter { state.entries![$0].frei0rName == nil }, &state)
      }
      return state.found[name]
    }
  }

  /// Lists the plugin files, each once even if several links lead to it; wraps `realpath(3)`.
  func readFolders(_ state: inout State) -> Range<Int> {
    if let entries = state.entries { return entries.indices }
    var entries: [Entry] = []
    var seen: Set<String> = []
    for folder in configuration.searchPath {
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
          PluginListing(path: folder.path, outcome: .failure(.file(error)), isFrei0r: folder.files == .frei0r))
      }
    }
    state.entries = entries
    return entries.indices
  }

  /// Returns a closure that reports once that a plugin works with fewer bits than a picture has.
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

// MARK: - Codecs

/// A codec plugin, ready for use.
package struct LoadedCodec: Sendable {
  package let description: PluginDescription
  package let codec: CodecDescription
  /// The path of its library.
  package let path: String
  package let pool: CodecPool

  /// Returns the codec with a worker of its own whose new memory holds this byte; nil where memory is not set.
  package func filled(_ byte: Int) -> LoadedCodec? {
    pool.filled(byte).map { LoadedCodec(description: description, codec: codec, path: path, pool: $0) }
  }
}

extension PluginHost {
  /// The codec plugin of this name; nil if there is none. Files that contain the name are searched first, and the others
  /// only if those do not have the plugin.
  package func codec(named name: String) -> LoadedCodec? {
    guard let found = find(name), let codec = found.plugin.codec, let pool = found.codecs else { return nil }
    return LoadedCodec(description: found.plugin, codec: codec, path: found.path, pool: pool)
  }

  /// All codec plugins, in the order of the search path. Files that were not described before are described; frei0r
  /// plugins are not looked at.
  package func codecs() -> [LoadedCodec] {
    state.withLock { state in
      describe(readFolders(&state).filter { state.entries![$0].frei0rName == nil }, &state)
      return state.entries!.compactMap { entry in
        guard let name = entry.listing?.name, let found = state.found[name], found.path == entry.path,
          let codec = found.plugin.codec, let pool = found.codecs
        else { return nil }
        return LoadedCodec(description: found.plugin, codec: codec, path: found.path, pool: pool)
      }
    }
  }
}
