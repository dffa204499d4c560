import ImageCore
import PictureTraits

/// The outputs of a graph, and everything that is wrong with it.
package struct CheckedGraph: Sendable {
  /// Files of one picture each.
  package let files: [FileOutput]
  /// The pictures of documents.
  package let entries: [DocumentEntry]
  package let documents: [any Document]
  /// In the order of the calls that ask for them.
  let jobs: [Job]
  let mistakes: [Diagnostic]
  /// The number of mistakes beside these.
  let furtherMistakes: Int
  /// Messages that stop nothing.
  let notes: [Diagnostic]
  /// The descriptions of outputs for dry runs, a line each.
  let descriptions: [String]
  /// Values that sinks keep for observers that know their types.
  let sinkRecords: [any Sendable]
  /// The number of places that this graph has claimed.
  let claimCount: Int

  /// The pictures of all outputs.
  var pictures: [Picture] { files.map(\.picture) + entries.map(\.picture) }
}

/// One sink for each kind of output. Belongs to a run.
struct Sinks {
  let save: SaveSink
  /// The sinks that the program has handed to the engine.
  let others: [(kind: Job.Kind, sink: any Sink)]
  private let all: [Job.Kind: any Sink]

  init(_ environment: Environment) {
    save = SaveSink()
    let multipage = MultipageSink(save)
    others = environment.sinks.map { ($0.kind, $0.makeSink()) }
    all = [.save: save, .animation: multipage, .multipage: multipage, .tiles: TilesSink(save)].merging(
      others.map { ($0.kind, $0.sink) }, uniquingKeysWith: { own, _ in own })
  }

  subscript(kind: Job.Kind) -> any Sink {
    guard let sink = all[kind] else { preconditionFailure("no sink writes '\(kind.rawValue)'") }
    return sink
  }
}

extension Graph {
  /// Checks every request without decoding a pixel. Headers are read now, unless they were before.
  ///
  /// - Parameter traits: measures pictures for sinks that arrange them.
  func checked(
    by sinks: Sinks, _ environment: Environment, _ options: RunOptions, paths: PathClaims,
    traits: @escaping ([Picture]) -> [PictureTraits?]
  ) -> CheckedGraph {
    let before = paths.claims.count
    var checker = SinkChecker(
      environment: environment, options: options, paths: paths, locale: locale, traits: traits,
      lacksPictures: lacksPictures)
    for request in requests { sinks[request.job.kind].check(request, with: &checker) }
    sinks.save.checkTogether(with: &checker)
    for other in sinks.others { other.sink.checkTogether(with: &checker) }
    return CheckedGraph(
      files: checker.files, entries: checker.pages, documents: checker.documents, jobs: jobs,
      mistakes: checker.mistakes, furtherMistakes: checker.furtherMistakes, notes: checker.notes,
      descriptions: checker.descriptions, sinkRecords: checker.records,
      claimCount: max(0, paths.claims.count - before))
  }
}
