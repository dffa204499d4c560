import ImageCore

/// A shard's record of the script's requests. With it, a merge need not run the script.
package struct MergeRecord: Sendable, Hashable {
  /// The documents that are written only from packs, the shards' files of pages; in the order of the jobs.
  package var documents: [RecordedDocument] = []
  /// Probable mistakes that are reported at the end of a run, such as a setting that the script never reads.
  package var notes: [String] = []
  /// The number of pictures of all outputs.
  package var pictureCount = 0
  /// The number of picture files that the script has opened.
  package var sourceCount = 0
  /// The number of files that the script requests.
  package var requestedCount = 0

  package init() {}
}

/// A document whose pages all come from packs, with one picture on each page.
package struct RecordedDocument: Sendable, Hashable {
  /// The path; in a manifest, relative to the folder of outputs.
  package var path: String
  /// The position of the script's call.
  package let position: ScriptPosition?
  /// The number of pictures, including lost ones.
  package let pictureCount: Int
  /// The indices, from 0 in ascending order, of the pictures whose headers show that no shard can make them.
  package let lost: [Int]
  /// The options as in the script. Lists with a text for each picture are shortened to one text, because the packs
  /// contain the texts.
  package let options: RawArguments

  package init(path: String, position: ScriptPosition?, pictureCount: Int, lost: [Int], options: RawArguments) {
    (self.path, self.position, self.pictureCount, self.lost) = (path, position, pictureCount, lost)
    self.options = options
  }
}

/// The reason why a recorded document must not be written.
package struct RefusedDocument: Error, Sendable, Equatable {
  /// The document's index in the record.
  package let index: Int
  /// A clause; empty if the options describe no document.
  package let reason: String

  package init(_ index: Int, _ reason: String) { (self.index, self.reason) = (index, reason) }
}

extension Run {
  /// Performs a merge from the record of its shards, without the script. Returns when all work has ended.
  ///
  /// - Parameter onStart: called before anything is reported.
  /// - Throws: `RefusedDocument` if the record does not describe documents that may be written. In that case, nothing
  ///   has been written.
  package func merge(_ record: MergeRecord, of shards: any FinishedShards, onStart: () -> Void) throws(RefusedDocument)
  {
    var documents: [any Document] = []
    try checkPlaces(of: record.documents)
    for (index, recorded) in record.documents.enumerated() {
      guard let document = document(of: recorded) else { throw RefusedDocument(index, "") }
      documents.append(document)
    }
    onStart()
    graph.countSources(record.sourceCount)
    options.requested.add(record.requestedCount)
    execution.open(documents.map(\.job), pictures: record.pictureCount)
    elsewhere.replay(shards)
    elsewhere.countFiles(of: shards, but: Set(record.documents.map(\.path)))
    for document in documents { document.merge([], shards, progress) }
    for _ in 0..<record.pictureCount { progress.observer(.pictureDone) }
    execution.waitForAll()
    progress.tellLosses()
  }

  /// Makes a recorded document with the sink for its kind; nil if no sink accepts it.
  private func document(of recorded: RecordedDocument) -> (any Document)? {
    for (kind, sink) in sinks.others {
      let job = Job(kind, position: recorded.position, qos: graph.currentQoS, parent: cancellation)
      if let document = sink.document(of: recorded, job, options) { return document }
    }
    return nil
  }

  /// Checks recorded documents like a script's outputs, and checks that they are in the folder of outputs. Their paths
  /// come from manifests, and another user may have put links into these paths.
  private func checkPlaces(of documents: [RecordedDocument]) throws(RefusedDocument) {
    var inside = options
    inside.isConfined = true
    var places = OutputPlaces(inside)
    var known: Set<InternedPath> = []
    for (index, document) in documents.enumerated() {
      let place = places.paths.place(of: document.path)
      if let reason = reason(against: document.path, at: place, places) { throw RefusedDocument(index, reason) }
      guard known.insert(place).inserted else {
        throw RefusedDocument(index, "another book of the record has this place")
      }
    }
  }

  private func reason(against path: String, at place: InternedPath, _ places: OutputPlaces) -> String? {
    if Self.hasControlCharacters(path) { return "the name has control characters" }
    if OutputPipe(path) != nil { return "it is a pipe" }
    if let problem = places.problem(at: place) ?? paths.reserved.reason(against: place) { return problem }
    return sinks.others.lazy.compactMap { $0.sink.reasonToKeep(place.text) }.first
  }

  /// Returns whether a path contains control characters, which only a script may choose for names.
  private static func hasControlCharacters(_ path: String) -> Bool {
    path.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
