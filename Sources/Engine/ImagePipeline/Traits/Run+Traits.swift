import ImageCore
import PictureTraits
import Scheduling
import Synchronization

/// The traits of pictures, found on small versions of them.
extension Run {
  /// The traits that were asked for, by pictures' identities.
  struct KnownTraits {
    /// The picture is held, so that no other takes its identity.
    private var entries: [ObjectIdentifier: (picture: Picture, outcome: Result<PictureTraits, Picture.Problem>)] = [:]

    var isEmpty: Bool { entries.isEmpty }

    subscript(picture: Picture) -> Result<PictureTraits, Picture.Problem>? {
      get { entries[ObjectIdentifier(picture)]?.outcome }
      set { entries[ObjectIdentifier(picture)] = newValue.map { (picture, $0) } }
    }
  }

  /// Returns the traits of pictures, in their order; nil for one that cannot be decoded, and for all that are left when
  /// the run is cancelled.
  ///
  /// Pictures are decoded at a fraction of their size, several at a time. Each is measured once in a run. Files that
  /// were measured before and have not changed since are found in the cache of the environment.
  package func traits(of pictures: [Picture]) -> [PictureTraits?] {
    readTraits(of: pictures)
    return pictures.map { try? knownTraits[$0]?.get() }
  }

  /// Returns the traits of one picture.
  ///
  /// - Throws: the reason for which it cannot be decoded.
  package func traits(of picture: Picture) throws(Picture.Problem) -> PictureTraits {
    readTraits(of: [picture])
    guard let outcome = knownTraits[picture] else { throw .reported }
    return try outcome.get()
  }

  private func readTraits(of pictures: [Picture]) {
    var seen: Set<ObjectIdentifier> = []
    let missing = pictures.filter { knownTraits[$0] == nil && seen.insert(ObjectIdentifier($0)).inserted }
    guard !missing.isEmpty else { return }
    let cache = environment.traitsFolder.map { TraitsCache(folder: $0) }
    let entries: [TraitsEntry] = cache.map { self.entries(of: missing, in: $0) } ?? missing.map { _ in TraitsEntry() }
    for (picture, entry) in zip(missing, entries) { knownTraits[picture] = entry.traits.map { .success($0) } }
    let open = zip(missing, entries).filter { $1.traits == nil }
    guard !open.isEmpty else { return }
    readHeaders(open.map(\.0))
    let workers = scheduler.configuration.workers
    let shared = TraitsWork.Shared(
      environment: environment, scheduler: scheduler, cancellation: cancellation, memoryLimit: options.memoryLimit,
      parallelism: open.count < workers ? workers : 1, cache: cache)
    let waiting = WorkGroup(on: scheduler)
    let works = open.map { picture, entry in
      let work = TraitsWork(picture, key: entry.key, shared)
      if let item = try? scheduler.submit(work, qos: .userInitiated, byteCount: work.byteCount) { waiting.add(item) }
      return work
    }
    waiting.wait(as: .userInitiated)
    for (work, (picture, _)) in zip(works, open) where !work.isCancelled { knownTraits[picture] = work.outcome }
    if entries.contains(where: { $0.key != nil && $0.traits == nil }) { cache?.prune() }
  }

  /// The name of a picture's entry in the cache, and what is kept there.
  private struct TraitsEntry: Sendable {
    var key: String?
    var traits: PictureTraits?
  }

  private func entries(of pictures: [Picture], in cache: TraitsCache) -> [TraitsEntry] {
    let found = Mutex([TraitsEntry](repeating: TraitsEntry(), count: pictures.count))
    scheduler.parallelFor(pictures.count, qos: .userInitiated) { index in
      guard let key = cache.key(of: pictures[index]) else { return }
      let entry = TraitsEntry(key: key, traits: cache.traits(key))
      found.withLock { $0[index] = entry }
    }
    return found.withLock { $0 }
  }
}
