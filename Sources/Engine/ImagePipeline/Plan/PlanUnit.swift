import ImageCore

/// Outputs that are made together from one source picture, or several pages of a document that are copies of small
/// files.
struct PlanUnit: Sendable {
  private(set) var files: [FileOutput] = []
  /// The pages of documents whose pictures are encoded.
  private(set) var entries: [DocumentEntry] = []
  /// The pages of documents that are copies of a file's bytes, and need no rows.
  private(set) var copies: [DocumentEntry] = []

  mutating func add(_ file: FileOutput) { files.appendSparingly(file) }

  mutating func add(_ entry: DocumentEntry) {
    if entry.copiesSource != nil { copies.appendSparingly(entry) } else { entries.appendSparingly(entry) }
  }

  init() {}

  /// Creates a unit for a page that should have been a copy and has to be encoded after all.
  init(encoding entry: DocumentEntry) { entries = [entry] }

  /// The maximum number of copies in one unit, which is small so that there are copies for every worker.
  private static let mostCopies = 8

  /// Joins neighbouring units that only copy small files into one document. A separate task for such a page would take
  /// more memory and time than the page itself.
  static func joined(_ units: [PlanUnit], workers: Int) -> [PlanUnit] {
    let most = min(mostCopies, units.count / (4 * workers))
    var result: [PlanUnit] = []
    for unit in units {
      if let last = result.last, last.copies.count < most, last.canTake(unit) {
        result[result.count - 1].copies += unit.copies
      } else {
        result.append(unit)
      }
    }
    return result
  }

  private func canTake(_ other: PlanUnit) -> Bool {
    hasOnlySmallCopies && other.hasOnlySmallCopies && copies[0].document === other.copies[0].document
  }

  /// Whether the unit only copies small files into documents.
  var hasOnlySmallCopies: Bool {
    isOfCopies && copies.allSatisfy { $0.copiesSource?.wasReadWhole ?? false }
  }
}

extension PlanUnit {
  var allEntries: [DocumentEntry] { entries + copies }
  var pictures: [Picture] { files.map(\.picture) + allEntries.map(\.picture) }
  var jobs: [Job] { files.map(\.job) + allEntries.map(\.job) }
  /// The jobs that must end before this unit starts, the same for all outputs.
  var after: [Job] { (files.first?.job ?? entries.first?.job ?? copies.first?.job)?.after ?? [] }
  /// Whether the unit only copies files into documents.
  var isOfCopies: Bool { files.isEmpty && entries.isEmpty }
  /// The number of source pictures.
  var pictureCount: Int { isOfCopies ? Self.pictureCount(copies[...]) : 1 }
  /// The name of the source picture of all outputs.
  var sourceName: String { pictures.first?.origin?.name ?? "canvas" }

  /// Returns the number of different pictures among copies. Several consecutive pages may have the same picture.
  static func pictureCount(_ copies: ArraySlice<DocumentEntry>) -> Int {
    zip(copies, copies.dropFirst()).reduce(min(1, copies.count)) { count, pair in
      pair.0.picture === pair.1.picture ? count : count + 1
    }
  }
}

/// The facts that determine how work is divided among shards.
extension PlanUnit {

  /// The documents whose pictures must all be written by one program.
  var undividedDocuments: [any Document] {
    allEntries.map(\.document).filter { !$0.isDivisible }
  }

  /// The predicted processor time.
  var nanoseconds: Int {
    guard let first = pictures.first else { return 0 }
    var seen: Set<ObjectIdentifier> = []
    let ends = pictures.filter { seen.insert(ObjectIdentifier($0)).inserted }
    let decodes = !files.isEmpty || !entries.isEmpty
    return (decodes ? WorkEstimate.source(first.root, for: ends) : 0)
      + ends.reduce(0) { $0 + WorkEstimate.operations(of: $1) }
      + files.reduce(0) { $0 + WorkEstimate.encoding($1) }
      + allEntries.reduce(0) { $0 + WorkEstimate.encoding($1) }
  }

  /// A name for each output: the path of the file, or the document and the place in it.
  var outputNames: [String] { files.map(\.path) + allEntries.map { $0.document.title(of: $0) } }
  var fileCount: Int { files.count }
  var pageCount: Int { allEntries.count { $0.document.isDivisible } }
  var inputPaths: [String] { pictures.flatMap { $0.sources.files.map(\.path) } }
}
