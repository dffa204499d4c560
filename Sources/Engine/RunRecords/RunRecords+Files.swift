import ImageCore
import ImagePipeline
import Platform
import Synchronization

/// The digests of an output's recipe and sources. Outputs with equal ingredients have equal bytes; if the digests are
/// those of pixels, the outputs have equal pixels.
struct Ingredients: Hashable {
  private let recipe: SHA256Digest
  private let sources: [SHA256Digest]

  /// Creates the ingredients; nil if a digest is unknown.
  init?(_ recipe: SHA256Digest?, _ sources: [SHA256Digest?]) {
    guard let recipe, !sources.contains(nil) else { return nil }
    (self.recipe, self.sources) = (recipe, sources.compactMap(\.self))
  }
}

/// An index of the outputs and sources of earlier runs.
struct RecordLookup: Sendable {
  /// The keys of outputs that consist of a single file, by their ingredients.
  private(set) var equal: [Ingredients: [String]] = [:]
  private(set) var equalPixels: [Ingredients: [String]] = [:]
  private(set) var sources: [FileStamp: PictureDigest] = [:]
  private(set) var sizes: Set<UInt64> = []

  init(_ outputs: some Sequence<RecordedOutput>) {
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

/// Finds files of earlier runs that have the pixels of an output, under another name or with other metadata.
extension RunRecords {
  func lookup(_ state: inout State) -> RecordLookup {
    if let known = state.lookup { return known }
    let lookup = RecordLookup(earlier.all.lazy.map(\.output))
    state.lookup = lookup
    return lookup
  }

  /// Returns the file and the key of an earlier output with the same pixels, so that the picture need not be decoded;
  /// nil if there is none.
  func earlierFile(_ output: PlannedOutput, _ known: RecordedOutput?) -> (file: EarlierFile, key: String)? {
    guard output.canBeCopy, !earlier.isEmpty else { return nil }
    let (sources, lookup) = state.withLock { (state) -> ([PictureDigest?], RecordLookup) in
      (output.recipe.sources.map { state.digests[$0] }, self.lookup(&state))
    }
    func file(_ keys: [String]?, hasMetadata: Bool) -> (file: EarlierFile, key: String)? {
      for key in keys ?? [] {
        guard let output = earlier[key] else { continue }
        let path = folder.folder.absolute(output.path)
        guard let stamp = FileStamp(path: path), condition(of: output).isIntact else { continue }
        let file = EarlierFile(path: path, hasMetadata: hasMetadata) { status, mayLackName in
          mayLackName ? FileStamp(status).isRenamed(from: stamp) : FileStamp(status) == stamp
        }
        return (file, key)
      }
      return nil
    }
    let equal = Ingredients(output.recipe.digest, sources.map { $0?.whole }).flatMap { lookup.equal[$0] }
    if let found = file(equal, hasMetadata: true) { return found }
    let equalPixels = Ingredients(output.recipe.pixels, sources.map { $0?.shown }).flatMap { lookup.equalPixels[$0] }
    // The output's own earlier file is preferred.
    return file(equalPixels.map { $0.filter { $0 == known?.key } + $0 }, hasMetadata: false)
  }

  /// The maximum number of files that are kept open because the run may replace them before it needs their bytes.
  private static let mostOpen = 64

  /// Returns the verdicts after opening up to `mostOpen` earlier files that this run may replace. Documents beyond that
  /// number are made, because a document that is to be taken from a file cannot be made if that file is gone.
  func held(_ verdicts: [(output: PlannedOutput, verdict: OutputVerdict)]) -> [OutputVerdict] {
    let replaced = state.withLock { Set($0.keys.keys) }
    // If the name of an output contains a digest, only the output's folder is known in advance.
    let folders = Set(
      verdicts.compactMap { output, verdict -> String? in
        if case .keep = verdict { return nil }
        return output.place == nil && output.packedPageCount == nil
          ? InternedPath(realPathOf: output.path).folderText : nil
      })
    var left = Self.mostOpen
    return verdicts.map { output, verdict in
      guard case .take(let file) = verdict else { return verdict }
      let place = InternedPath(realPathOf: file.path)
      guard replaced.contains(place) || folders.contains(place.folderText) else { return verdict }
      guard left > 0 else { return output.isDocument ? .make : verdict }
      left -= 1
      return .take(file.openedNow())
    }
  }
}
