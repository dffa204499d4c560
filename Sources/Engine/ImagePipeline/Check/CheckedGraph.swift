import ImageCore

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
  /// Lines that describe designed pages, for dry runs.
  let designLines: [String]
  /// Designed books as declarations, without their covers.
  let designs: [DesignRecord]
  /// Covers of books, by the paths of these.
  let covers: [(book: String, cover: DesignRecord.Cover)]
  /// The number of places that this graph has claimed.
  let claimCount: Int

  /// The pictures of all outputs.
  var pictures: [Picture] { files.map(\.picture) + entries.map(\.picture) }
}

/// One sink for each kind of output. Belongs to a run.
struct Sinks {
  let save: SaveSink
  let multipage: MultipageSink
  let tiles: TilesSink
  let book: any Sink

  init(_ environment: Environment) {
    save = SaveSink()
    multipage = MultipageSink(save)
    tiles = TilesSink(save)
    book = environment.book.makeSink()
  }

  subscript(kind: Job.Kind) -> any Sink {
    switch kind {
    case .book: book
    case .animation, .multipage: multipage
    case .tiles: tiles
    case .save, .verify: save
    }
  }
}

extension Graph {
  /// Checks every request without decoding a pixel. Headers are read now, unless they were before.
  ///
  /// - Parameter knowledge: what designed books ask about the content of pictures.
  func checked(
    by sinks: Sinks, _ environment: Environment, _ options: RunOptions, paths: PathClaims,
    knowledge: PictureKnowledge
  ) -> CheckedGraph {
    let before = paths.claims.count
    var checker = SinkChecker(
      environment: environment, options: options, paths: paths, locale: locale, knowledge: knowledge,
      lacksPictures: lacksPictures)
    for request in requests { sinks[request.job.kind].check(request, with: &checker) }
    sinks.save.checkTogether(with: &checker)
    sinks.book.checkTogether(with: &checker)
    return CheckedGraph(
      files: checker.files, entries: checker.pages, documents: checker.documents, jobs: jobs,
      mistakes: checker.mistakes, furtherMistakes: checker.furtherMistakes, notes: checker.notes,
      designLines: checker.designLines, designs: checker.designs, covers: checker.covers,
      claimCount: max(0, paths.claims.count - before))
  }
}
