import ImageCore
import Platform
import Synchronization

/// Finds and describes plugins, and runs them in separate processes.
///
/// May be used from any thread. After `invalidate()`, operations fail with `cancelled`. No folder is read, and no
/// process is started, before a plugin is needed. Foreign code enters this process only with `inProcess`.
///
/// Definitions and operations keep alive the pools of workers that they use. Workers end with `invalidate()`, or else
/// with the last reference to their pool.
package final class PluginHost: Sendable {
  /// The configuration of a host.
  package struct Configuration: Sendable {
    /// The folders of plugins in order of precedence, see `PluginFolder.standard`.
    package var searchPath: [PluginFolder]
    /// The path of `imghost-plugin-worker`.
    package var worker: String
    /// The time limit of a call, for each 100 megapixels or part of them, unless a codec declares its own. A worker
    /// that takes longer is stopped.
    package var deadline = Duration.seconds(30)
    /// The time limit for loading and describing a library.
    package var describeDeadline = Duration.seconds(10)
    /// The maximum number of processes that a plugin uses at the same time. A codec may use more.
    package var workersPerPlugin = 4
    /// The sides of pictures for frei0r plugins are padded to multiples of this number. The frei0r specification
    /// guarantees multiples of 8, and some plugins fail with other numbers.
    package var frei0rSideMultiple = 8
    /// The folder for cached descriptions; nil for no cache. It need not exist.
    package var cacheFolder: String?
    /// Whether plugins run in this process, for trusted code: a crash, a hang or a stray write then affects the host
    /// itself. Listing plugins still uses separate processes.
    package var inProcess = false
    /// The command that workers run under, for authors of plugins: the beginning of a shell command, such as `valgrind
    /// -q`; the worker's command line is appended. With a command, workers are not confined and have no time limits,
    /// share this process's terminal, and are never restarted. Libraries are described without the command, unless that
    /// fails, as for libraries built with a sanitizer. Nil for none.
    package var workerCommand: String?
    /// The verdicts of `PluginCheck`. With `PluginVerdict.wantsOneAtATime`, a plugin other than a codec runs only one
    /// call at a time. With `allowsStrips`, a native plugin may have several workers for one picture.
    package var verdicts = VerdictCache(folder: nil)

    package init(searchPath: [PluginFolder], worker: String) {
      self.searchPath = searchPath
      self.worker = worker
    }
  }

  let configuration: Configuration
  let onEvent: @Sendable (PluginEvent) -> Void
  let state = Monitor(State())
  /// Whether `invalidate()` was called. Not part of the state, because the state is locked while a plugin is described.
  let isInvalidated = Atomic<Bool>(false)

  struct State {
    /// The plugin files in the order of the search path; nil until the folders have been read.
    var entries: [Entry]?
    /// Folders that cannot be read.
    var folders: [PluginListing] = []
    var found: [String: Found] = [:]
    /// The cache of descriptions, created when the first file is described.
    var cache: DescriptionCache?
    var keptDescriptions = 0
  }

  /// A plugin file.
  struct Entry {
    let path: String
    /// The name of a frei0r plugin, derived from its file; nil for a native plugin, which states its own name.
    let frei0rName: String?
    /// The listing; nil until the file has been described.
    var listing: PluginListing?
  }

  struct Found {
    let plugin: PluginDescription
    let path: String
    let pool: WorkerPool
    let onDepthLost: @Sendable () -> Void
  }

  /// - Parameter onEvent: receives the log and the progress of each plugin, on the thread that waits for the plugin;
  ///   with `inProcess`, on any thread of the plugin.
  package init(_ configuration: Configuration, onEvent: @escaping @Sendable (PluginEvent) -> Void = { _ in }) {
    precondition(configuration.workersPerPlugin > 0 && configuration.deadline > .zero)
    precondition(configuration.frei0rSideMultiple > 0)
    self.configuration = configuration
    self.onEvent = onEvent
  }

  /// Returns the cache folder of descriptions for a user with this environment; nil for none.
  ///
  /// - Parameter cacheHome: the value of `XDG_CACHE_HOME`.
  package static func standardCacheFolder(cacheHome: String?, home: String?) -> String? {
    CacheFolder.standardPath("plugins", cacheHome: cacheHome, home: home)
  }

  /// Ends idle workers now, and lent ones when they come back, and frees their memory. Later operations fail with
  /// `cancelled`. May be called more than once.
  package func invalidate() {
    isInvalidated.store(true, ordering: .releasing)
    let found = state.withLock { state in Array(state.found.values) }
    for plugin in found { plugin.pool.invalidate() }
  }

  /// Lists every library on the search path, with its plugin or the reason why it has none, and every expected folder
  /// that cannot be read. Each library without a known or cached description is described in a process of its own.
  package func discover() -> [PluginListing] {
    state.withLock { state in
      describe(Array(readFolders(&state)), &state)
      return state.folders + state.entries!.compactMap(\.listing)
    }
  }

  /// Tests how plugins are isolated on this machine, with a worker that tries to break out.
  package func isolation() -> IsolationReport { WorkerLauncher.probe(program: configuration.worker) }

  /// Returns the names of all plugins that scripts can call, for suggestions such as "did you mean". Names of frei0r
  /// plugins are derived from their files without describing them.
  package func names() -> [String] {
    state.withLock { state in
      describe(readFolders(&state).filter { state.entries![$0].frei0rName == nil }, &state)
      return state.entries!.compactMap { entry in
        guard let listing = entry.listing else { return entry.frei0rName }
        return (try? listing.outcome.get())?.kind == .codec ? nil : listing.name
      }
    }
  }

  /// Returns the plugin with this name as an operation of the family "plugin"; nil if there is none, or if it is a
  /// codec.
  ///
  /// The file name of a native plugin is arbitrary. Files that contain the plugin's name as text, or are named after
  /// it, are described first, in order, until the plugin is found, and then all other native files. For a frei0r
  /// plugin, only one file is described. The operations throw `PictureError.plugin` if the plugin fails on a picture.
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

  /// Returns the path of the library with this plugin, if it precedes `other` in the search order; otherwise nil.
  /// `other` is the file of a plugin that is not a library. Files after `other`, and files that neither contain the
  /// plugin's name nor are named after it, are not described.
  package func path(ofPlugin name: String, before other: String) -> String? {
    let end = rank(other)
    let path = state.withLock { state in
      find(name, &state) { self.rank($0) < end }
      return state.found[name]?.path
    }
    return path.flatMap { rank($0) < end ? $0 : nil }
  }

  /// Returns the path of the file with this plugin; nil if the plugin has not been found yet.
  package func path(ofPlugin name: String) -> String? { state.withLock { $0.found[name]?.path } }

  /// Returns the refused files that seem to contain this plugin. These are the files named after the plugin or, if none
  /// of those was refused, the files that contain its name.
  package func refusals(ofPlugin name: String) -> [PluginListing] {
    state.withLock { state in
      let refused = readFolders(&state).map { state.entries![$0] }.filter {
        $0.listing?.refusal != nil
      }
      let named = refused.filter { isNamed(after: name, $0) }
      return (named.isEmpty ? refused.filter { mayGive(name, $0) } : named).compactMap(\.listing)
    }
  }

  /// Returns the position of a file in the search order: its folder's index in the search path, then its name.
  private func rank(_ path: String) -> (Int, String) {
    let index = configuration.searchPath.firstIndex {
      path.utf8.starts(with: ($0.path.hasSuffix("/") ? $0.path : $0.path + "/").utf8)
    }
    return (index ?? configuration.searchPath.count, String(PathName.name(path)))
  }

  /// The names and versions of all plugins found so far, sorted. The version of a codec includes that of its library.
  package var versions: [(name: String, version: String)] {
    state.withLock { state in
      state.found.map { name, found in
        (name, (found.plugin.codec == nil ? nil : found.pool.version) ?? found.plugin.version)
      }.sorted { $0.0 < $1.0 }
    }
  }

  /// Returns the version of the plugin or codec with a name; nil if there is none.
  package func version(ofPlugin name: String) -> String? { find(name)?.plugin.version }

  /// Returns the description of the plugin with a name; nil if there is none.
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

  /// Reads the folders on the first call, and returns the indices of the entries. Each plugin file has only one entry,
  /// even if several links lead to it. Wraps `realpath(3)`.
  func readFolders(_ state: inout State) -> Range<Int> {
    if let entries = state.entries { return entries.indices }
    var entries: [Entry] = []
    var seen: Set<String> = []
    for folder in configuration.searchPath {
      do throws(FileError) {
        for path in try folder.libraries() {
          let resolved = realpath(path, nil)
          defer { free(resolved) }
          guard seen.insert(resolved.map { PathBytes.text($0) } ?? path).inserted else { continue }
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

  /// Returns a closure that reports, once, that a plugin works with fewer bits than a picture has.
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

/// An atomic flag that closures can share.
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
  package let pool: WorkerPool

  /// Returns the codec with a separate worker whose new memory is filled with this byte; nil if memory cannot be
  /// filled.
  package func filled(_ byte: Int) -> LoadedCodec? {
    pool.filled(byte).map { LoadedCodec(description: description, codec: codec, path: path, pool: $0) }
  }
}

extension PluginHost {
  /// Returns the codec plugin with this name; nil if there is none. Describes files like `definition(named:)`.
  package func codec(named name: String) -> LoadedCodec? {
    guard let found = find(name), let codec = found.plugin.codec else { return nil }
    return LoadedCodec(description: found.plugin, codec: codec, path: found.path, pool: found.pool)
  }

  /// Returns all codec plugins in the order of the search path. Files that are not described yet are described; frei0r
  /// plugins are skipped.
  package func codecs() -> [LoadedCodec] {
    state.withLock { state in
      describe(readFolders(&state).filter { state.entries![$0].frei0rName == nil }, &state)
      return state.entries!.compactMap { entry in
        guard let name = entry.listing?.name, let found = state.found[name], found.path == entry.path,
          let codec = found.plugin.codec
        else { return nil }
        return LoadedCodec(description: found.plugin, codec: codec, path: found.path, pool: found.pool)
      }
    }
  }
}
