import ImageCore

/// Divides the work of a script among shards: consecutive pictures in the script's order, with about equal predicted
/// work.
///
/// Outputs of one source picture stay together, because they share its pixels. So do all pictures of a file that must
/// be written by one program, such as an animation.
struct ShardDivision {
  /// Units that must stay together.
  struct Bundle: Sendable {
    fileprivate(set) var units: [PlanUnit]
    let nanoseconds: Int
    let pictureCount: Int
    /// The number of files with a single picture.
    fileprivate let singleFileCount: Int
    let pageCount: Int
    /// The name of the first source picture.
    let name: String
    /// A digest of the outputs' names.
    let outputs: SHA256Digest
    /// The documents whose pictures must all be made by one program.
    fileprivate let documents: [ObjectIdentifier]
    fileprivate(set) var shard = 0
  }

  private(set) var bundles: [Bundle]
  let count: Int

  init(_ bundles: [Bundle], count: Int) {
    self.bundles = bundles
    self.count = count
    let total = bundles.reduce(0) { $0 + $1.nanoseconds }
    guard total > 0 else { return }
    var before = 0
    for index in bundles.indices {
      // The shard whose share contains the middle of the bundle.
      let middle = Double(before) + Double(bundles[index].nanoseconds) / 2
      self.bundles[index].shard = min(count - 1, Int(middle * Double(count) / Double(total)))
      before += bundles[index].nanoseconds
    }
  }

  /// Returns the bundles of units that must stay together, in the order of their first pictures.
  static func bundles(_ units: [PlanUnit]) -> [Bundle] {
    var made: [Bundle?] = []
    var places: [ObjectIdentifier: Int] = [:]
    for unit in units {
      var bundle = Bundle(unit)
      // All bundles that share a document with the new one are joined with it. The result takes the place of the first
      // of them.
      let known = Set(bundle.documents.compactMap { places[$0] }).sorted()
      for place in known.reversed() {
        guard let other = made[place] else { continue }
        bundle = other.joined(with: bundle)
        made[place] = nil
      }
      let place = known.first ?? made.count
      if known.isEmpty { made.append(bundle) } else { made[place] = bundle }
      for document in bundle.documents { places[document] = place }
    }
    return made.compactMap { $0 }
  }

  /// Returns the units of a shard, in the script's order.
  func units(of shard: Int) -> [PlanUnit] { bundles.filter { $0.shard == shard }.flatMap(\.units) }

  func units(butOf shard: Int) -> [PlanUnit] { bundles.filter { $0.shard != shard }.flatMap(\.units) }

  /// A digest that identifies the division: the outputs, their predicted work and their shards. 64 hexadecimal digits.
  var digest: String {
    var hash = SHA256()
    hash.update(Array("\(count)\n".utf8))
    for bundle in bundles { hash.update(Array("\(bundle.shard) \(bundle.nanoseconds) \(bundle.outputs)\n".utf8)) }
    return hash.finish().description
  }
}

extension ShardDivision.Bundle {
  fileprivate init(_ unit: PlanUnit) {
    self.init(
      units: [unit], nanoseconds: unit.nanoseconds, pictureCount: unit.pictureCount,
      singleFileCount: unit.fileCount, pageCount: unit.pageCount, name: unit.sourceName,
      outputs: SHA256.digest(of: Array(unit.outputNames.joined(separator: "\n").utf8)),
      documents: unit.undividedDocuments.map { ObjectIdentifier($0) })
  }

  fileprivate func joined(with other: Self) -> Self {
    Self(
      units: units + other.units, nanoseconds: nanoseconds + other.nanoseconds,
      pictureCount: pictureCount + other.pictureCount, singleFileCount: singleFileCount + other.singleFileCount,
      pageCount: pageCount + other.pageCount, name: name,
      outputs: SHA256.digest(of: outputs.bytes + other.outputs.bytes),
      documents: documents + other.documents)
  }

  var fileCount: Int { singleFileCount + Set(documents).count }

  /// The bundle without its units.
  var brief: Self {
    var brief = self
    brief.units = []
    return brief
  }
}

/// A script's division into shards, before any of them is made.
package struct DividedPlan: Sendable {
  package let shards: [ShardPlan]
  /// A digest of the division of each batch of work, as in manifests.
  package let divisions: [String]

  package init(shards: [ShardPlan], divisions: [String]) {
    self.shards = shards
    self.divisions = divisions
  }
}

/// The contents of one shard, for `imghost plan`.
package struct ShardPlan: Sendable {
  /// The number of the shard, from 0.
  package let number: Int
  package private(set) var pictures = 0
  /// The number of the shard's files that no other shard contributes to.
  package private(set) var files = 0
  /// The number of the shard's pictures in documents that are divided among shards.
  package private(set) var pages = 0
  /// The predicted processor time in seconds, on one core.
  package private(set) var seconds = 0.0
  /// The predicted memory of the largest picture, in bytes.
  package private(set) var byteCount = 0
  /// The name of the first picture; nil for an empty shard.
  package private(set) var first: String?

  init(number: Int) { self.number = number }

  mutating func add(_ bundle: ShardDivision.Bundle, _ byteCount: Int) {
    pictures += bundle.pictureCount
    files += bundle.fileCount
    pages += bundle.pageCount
    seconds += Double(bundle.nanoseconds) / 1e9
    self.byteCount = max(self.byteCount, byteCount)
    if first == nil { first = bundle.name }
  }
}
