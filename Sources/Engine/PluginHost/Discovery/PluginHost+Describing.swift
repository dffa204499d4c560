import ImageCore
import Platform

/// Descriptions of files, taken from the cache or read by several workers at the same time.
extension PluginHost {
  /// The number of workers that describe files at the same time: several, because most wait for a disk, and one that
  /// hangs lasts until its deadline.
  private static let describedAtOnce = 8

  /// A file that is being described.
  private struct Candidate {
    let index: Int
    var launcher: WorkerLauncher
    /// The SHA-256 of the library; nil if it is too large, or not needed.
    let digest: SHA256Digest?
    /// Its key in the cache; nil if there is no cache.
    let key: String?
    let source: Result<Source, PluginRefusal>

    /// Whether the description comes from the cache.
    var isKept: Bool { if case .success(.kept) = source { true } else { false } }

    enum Source {
      case kept(PluginDescription, DescriptionCache.Kept)
      case worker(WorkerLauncher.Describing)
    }
  }

  /// Describes the files that may contain the plugin with this name, in order, until the plugin is found.
  ///
  /// - Parameter isWanted: returns whether the file at this path may be described; the search ends at the first file
  ///   that may not be.
  func find(_ name: String, _ state: inout State, isWanted: (String) -> Bool) {
    for index in readFolders(&state) {
      guard state.found[name] == nil, isWanted(state.entries![index].path) else { return }
      if state.entries![index].listing == nil && mayGive(name, state.entries![index]) {
        describe([index], &state)
      }
    }
  }

  /// Returns whether a file may contain the plugin with this name: for a frei0r plugin, if the name is derived from the
  /// file's; for a native plugin, if the file contains the name, or is named after the plugin: a damaged file may lack
  /// the name.
  func mayGive(_ name: String, _ entry: Entry) -> Bool {
    if isNamed(after: name, entry) { return true }
    if Frei0rName.isPrefixed(name) || entry.frei0rName != nil { return false }
    return LibraryFile.mentions(name, path: entry.path)
  }

  func isNamed(after name: String, _ entry: Entry) -> Bool {
    if Frei0rName.isPrefixed(name) || entry.frei0rName != nil { return entry.frei0rName == name }
    func plain(_ text: some StringProtocol) -> String { text.lowercased().filter { $0 != "_" && $0 != "-" } }
    let stem = plain(PathName.stem(String(PathName.name(entry.path))))
    let own = plain(name)
    return ["\(own)", "lib\(own)", "lib\(own)plugin"].contains(stem)
  }

  /// Describes those files that have no description yet. The caller holds the lock, so that no file is described twice.
  func describe(_ indices: [Int], _ state: inout State) {
    let missing = indices.filter { state.entries![$0].listing == nil }
    var candidates: [Candidate] = []
    for position in missing.indices {
      guard !isInvalidated.load(ordering: .acquiring) else { return }
      let ahead = missing[candidates.count..<min(position + Self.describedAtOnce, missing.count)]
      for index in ahead { candidates.append(candidate(index, &state)) }
      take(candidates[position], &state)
    }
  }

  private func candidate(_ index: Int, _ state: inout State) -> Candidate {
    let entry = state.entries![index]
    let name = String(PathName.name(entry.path))
    var launcher = WorkerLauncher(
      program: configuration.worker, library: entry.path, deadline: configuration.deadline,
      describeDeadline: configuration.describeDeadline)
    launcher.output = configuration.workerCommand == nil ? output(of: name) : nil
    launcher.clearsMemory = entry.frei0rName != nil
    if state.cache == nil, let folder = configuration.cacheFolder {
      state.cache = DescriptionCache(folder: folder, worker: configuration.worker)
    }
    let key = state.cache?.key(library: entry.path)
    let source: Result<Candidate.Source, PluginRefusal>
    do throws(PluginRefusal) {
      try LibraryFile.check(path: entry.path)
      source = .success(try self.source(launcher, key, &state.cache))
    } catch {
      source = .failure(error)
    }
    return Candidate(index: index, launcher: launcher, digest: digest(entry, source), key: key, source: source)
  }

  /// Returns the SHA-256 of a file, from the cache if possible, because hashing all libraries takes longer than a small
  /// run.
  private func digest(_ entry: Entry, _ source: Result<Candidate.Source, PluginRefusal>) -> SHA256Digest? {
    switch source {
    case .success(.kept(_, let kept)): kept.digest
    case .success(.worker):
      configuration.cacheFolder != nil || configuration.verdicts.isUsed ? LibraryFile.digest(path: entry.path) : nil
    case .failure: nil
    }
  }

  /// Returns a cached description, or starts a worker.
  private func source(_ launcher: WorkerLauncher, _ key: String?, _ cache: inout DescriptionCache?)
    throws(PluginRefusal) -> Candidate.Source
  {
    if let key {
      if configuration.workerCommand == nil, let words = cache?.failure(key) { throw .remembered(words) }
      if let kept = cache?.description(key) {
        var reader = WireReader(kept.body)
        if let plugin = try? PluginDescription(from: &reader) { return .kept(plugin, kept) }
      }
    }
    do throws(CallFailure) {
      return .worker(try launcher.beginDescribing())
    } catch {
      throw error.refusal
    }
  }

  private func take(_ candidate: Candidate, _ state: inout State) {
    let entry = state.entries![candidate.index]
    var verdict: PluginVerdict?
    let outcome: Result<PluginDescription, PluginRefusal>
    do throws(PluginRefusal) {
      outcome = .success(try register(candidate, entry, &verdict, &state))
    } catch {
      outcome = .failure(error)
    }
    state.entries![candidate.index].listing = PluginListing(
      path: entry.path, outcome: outcome, verdict: verdict, isFrei0r: entry.frei0rName != nil)
  }

  private func register(_ candidate: Candidate, _ entry: Entry, _ verdict: inout PluginVerdict?, _ state: inout State)
    throws(PluginRefusal) -> PluginDescription
  {
    var (plugin, body) = try description(candidate, &state)
    guard plugin.origin == .native || plugin.name == entry.frei0rName else { throw .frei0rFolder }
    if plugin.origin != .native { plugin.sideMultiple = configuration.frei0rSideMultiple }
    if let other = state.found[plugin.name] { throw .hidden(name: plugin.name, by: other.path) }
    var launcher = candidate.launcher
    launcher.expected = ExpectedDescription(body, isKept: candidate.isKept)
    launcher.output = output(of: plugin.name)
    launcher.readable.allow(plugin.dataPaths)
    if let cache = state.cache, let key = candidate.key, let digest = candidate.digest {
      let readable = launcher.readable
      launcher.onChange = { renewed in
        guard let renewed else { return cache.remove(key) }
        let kept = DescriptionCache.Kept(digest: digest, body: Array(renewed.rest))
        cache.keep(kept, libraries: readable.libraries, key)
      }
    }
    verdict = candidate.digest.flatMap { configuration.verdicts.verdict(of: $0) }
    let isSuspect = verdict?.wantsOneAtATime ?? false || configuration.workerCommand != nil
    launcher = launcher.under(configuration.workerCommand)
    launcher.givesBlocksBack = plugin.codec != nil
    let pool = WorkerPool(
      plugin: plugin.name, codec: plugin.codec, launcher: launcher,
      mostWorkers: isSuspect && plugin.codec == nil ? 1 : configuration.workersPerPlugin,
      mayDivide: plugin.origin == .native && verdict?.allowsStrips == true && !isSuspect,
      inProcess: configuration.inProcess, onEvent: onEvent)
    state.found[plugin.name] = Found(
      plugin: plugin, path: entry.path, pool: pool, onDepthLost: depthNote(plugin.name))
    return plugin
  }

  /// Returns the description of a candidate. A worker's answer is cached, and so is a failure that the library itself
  /// causes.
  private func description(_ candidate: Candidate, _ state: inout State) throws(PluginRefusal)
    -> (PluginDescription, body: WireReader)
  {
    let worker: WorkerLauncher.Describing
    switch candidate.source {
    case .failure(let refusal): throw refusal
    case .success(.kept(let plugin, let kept)): return (plugin, WireReader(kept.body))
    case .success(.worker(let describing)): worker = describing
    }
    do throws(CallFailure) {
      let (plugin, body) = try candidate.launcher.description(worker) {
        self.isInvalidated.load(ordering: .acquiring)
      }
      if let digest = candidate.digest {
        let kept = DescriptionCache.Kept(digest: digest, body: Array(body.rest))
        let libraries = candidate.launcher.readable.libraries
        keep(candidate, &state) { $0.keep(kept, libraries: libraries, $1) }
      }
      return (plugin, body)
    } catch {
      if configuration.workerCommand != nil, error.refusal.mayLoadElsewhere {
        return try candidate.launcher.under(configuration.workerCommand).describe {
          self.isInvalidated.load(ordering: .acquiring)
        }
      }
      if error.isOfLibrary { keep(candidate, &state) { $0.keep(failure: error.description, $1) } }
      throw error.refusal
    }
  }

  private func keep(_ candidate: Candidate, _ state: inout State, _ body: (DescriptionCache, String) -> Void) {
    guard let cache = state.cache, let key = candidate.key else { return }
    if state.keptDescriptions == 0 { cache.prune() }
    state.keptDescriptions += 1
    body(cache, key)
  }

  /// Returns an output that adds the lines printed by a plugin's workers to the plugin's log.
  private func output(of plugin: String) -> PrintedOutput {
    let onEvent = onEvent
    return PrintedOutput { onEvent(.log(plugin: plugin, isWarning: false, text: $0)) }
  }
}

extension PluginHost {
  /// The type and the owner of the note that contains a build ID, as stored in an ELF file.
  private static let buildIDNote: [UInt8] = [3, 0, 0, 0] + Array("GNU\0".utf8)

  /// Returns a digest that identifies the code of a program or library and of every library that is loaded with it. For
  /// a file with a build ID, which is different in every build, the digest covers only the file's size and beginning;
  /// for other files, all bytes, or only the size if that is above 256 MB.
  ///
  /// - Parameter names: further libraries, by the names that dlopen(3) takes.
  package static func codeIdentity(ofLibrary path: String, and names: [String] = []) -> String {
    let searchPath = getenv("LD_LIBRARY_PATH").map { PathBytes.text($0) } ?? ""
    var content: [UInt8] = []
    let own = LibraryClosure.files(loading: path, searchPath: searchPath)
    // A script that starts a program has no libraries.
    for library in (own.isEmpty ? [path] : own) + LibraryClosure.files(named: names, searchPath: searchPath) {
      guard let file = try? InputFile(path: library) else { continue }
      content += Array("\(file.byteCount)\t".utf8)
      let beginning = (try? file.bytes(at: 0, count: min(4_096, file.byteCount))) ?? []
      let hasBuildID = beginning.holds(buildIDNote)
      content += hasBuildID ? beginning : LibraryFile.digest(path: library)?.bytes ?? []
    }
    return SHA256.digest(of: content).description
  }

  /// Returns whether a cached description, or a cached failure to describe a library, is complete.
  package static func isWholeDescription(_ name: String, in folder: String) -> Bool {
    DescriptionCache(folder: folder, worker: "").isWhole(name)
  }

  /// Returns whether the cached result of a check is complete.
  package static func isWholeVerdict(_ name: String, in folder: String) -> Bool {
    SHA256Digest(hexadecimal: name).map { VerdictCache(folder: folder).verdict(of: $0) != nil } ?? false
  }
}
