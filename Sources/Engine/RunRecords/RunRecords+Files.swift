import ImageCore
import ImagePipeline
import Platform
import Synchronization

/// A recipe and the digests of its sources: equal ones give equal bytes or, if they are those of pixels, equal pixels.
struct Ingredients: Hashable {
  private let recipe: SHA256Digest
  private let sources: [SHA256Digest]

  /// Nil if a source is not known.
  init?(_ recipe: SHA256Digest?, _ sources: [SHA256Digest?]) {
    guard let recipe, !sources.contains(nil) else { return nil }
    (self.recipe, self.sources) = (recipe, sources.compactMap(\.self))
  }
}

/// The outputs and sources of earlier runs by what is known of them.
struct RecordLookup: Sendable {
  /// The keys of outputs that are single files.
  private(set) var equal: [Ingredients: [String]] = [:]
  private(set) var equalPixels: [Ingredients: [String]] = [:]
  private(set) var sources: [FileStamp: PictureDigest] = [:]
  private(set) var sizes: Set<UInt64> = []

  init(_ outputs: some Collection<RecordedOutput>) {
    var recipes: [String: SHA256Digest] = [:]
    for output in outputs.sorted(by: { $0.key < $1.key }) {
      for source in output.sources {
        guard let stamp = source.stamp, let digest = source.known else { continue }
        if sources[stamp]?.pixels == nil { sources[stamp] = digest }
        sizes.insert(stamp.byteCount)
      }
      guard !output.recipe.isEmpty, output.digest != nil, output.folder.isEmpty, output.entries.isEmpty else {
        continue
      }
      let recipe = recipes[output.recipe] ?? SHA256.digest(of: Array(output.recipe.utf8))
      recipes[output.recipe] = recipe
      if let key = Ingredients(recipe, output.sources.map { $0.known?.whole }) {
        equal[key, default: []].append(output.key)
      }
      if let key = Ingredients(output.pixels, output.sources.map { $0.known?.shown }) {
        equalPixels[key, default: []].append(output.key)
      }
    }
  }
}

/// Files whose pixels an output has, under another name or with other metadata.
extension RunRecords {
  func lookup(_ state: inout State) -> RecordLookup {
    if let known = state.lookup { return known }
    let lookup = RecordLookup(earlier.values)
    state.lookup = lookup
    return lookup
  }

  /// Returns an earlier file from which an output can be made without its picture, and its key; nil for none.
  func earlierFile(_ output: PlannedOutput, _ known: RecordedOutput?) -> (file: EarlierFile, key: String)? {
    guard !output.isDocument, !earlier.isEmpty else { return nil }
    let (sources, lookup) = state.withLock { (state) -> ([PictureDigest?], RecordLookup) in
      (output.recipe.sources.map { state.digests[$0] }, self.lookup(&state))
    }
    func file(_ keys: [String]?, hasMetadata: Bool) -> (file: EarlierFile, key: String)? {
      for key in keys ?? [] {
        guard let output = earlier[key] else { continue }
        let path = folder.folder.absolute(output.path)
        guard let stamp = FileStamp(path: path) else { continue }
        switch condition(of: output) {
        case .asWritten, .touched: break
        case .outdated, .edited, .lost, .missing: continue
        }
        return (EarlierFile(path: path, hasMetadata: hasMetadata) { FileStamp($0) == stamp }, key)
      }
      return nil
    }
    let equal = Ingredients(output.recipe.digest, sources.map { $0?.whole }).flatMap { lookup.equal[$0] }
    if let found = file(equal, hasMetadata: true) { return found }
    let equalPixels = Ingredients(output.recipe.pixels, sources.map { $0?.shown }).flatMap { lookup.equalPixels[$0] }
    // The output's own file is tried first.
    return file(equalPixels.map { $0.filter { $0 == known?.key } + $0 }, hasMetadata: false)
  }

  /// The most files that are held open because the run may replace them before they are needed.
  private static let mostOpen = 64

  /// Returns the verdicts with those earlier files opened that this run replaces, as far as there may be so many.
  func held(_ verdicts: [OutputVerdict]) -> [OutputVerdict] {
    let replaced = state.withLock { Set($0.keys.keys) }
    var left = Self.mostOpen
    return verdicts.map { verdict in
      guard case .take(let file) = verdict, left > 0, replaced.contains(InternedPath(realPathOf: file.path)) else {
        return verdict
      }
      left -= 1
      return .take(file.openedNow())
    }
  }
}
