import ImageCore

/// A shard's record of the script's work, by which a merge does without the script.
package struct MergeRecord: Sendable, Hashable {
  /// The books in the order of their jobs, each of which is written of its packs alone.
  package var books: [RecordedBook] = []
  /// Probable mistakes that the end of a run names, such as a setting that the script never reads.
  package var notes: [String] = []
  /// The number of pictures of all outputs.
  package var pictureCount = 0
  /// The number of picture files that the script has opened.
  package var sourceCount = 0
  /// The number of files that the script asks for.
  package var requestedCount = 0

  package init() {}
}

/// A book each of whose pages has one picture and comes whole from a pack.
package struct RecordedBook: Sendable, Hashable {
  /// The path; in a manifest from the folder of outputs.
  package var path: String
  /// The place of the script's call.
  package let position: ScriptPosition?
  /// The number of pictures with those that are lost.
  package let pictureCount: Int
  /// The pictures that no shard can make, because of their headers; ascending, from 0.
  package let lost: [Int]
  /// The options as the script gives them. Of texts for single pictures there is at most one: packs have them.
  package let options: RawArguments

  package init(path: String, position: ScriptPosition?, pictureCount: Int, lost: [Int], options: RawArguments) {
    (self.path, self.position, self.pictureCount, self.lost) = (path, position, pictureCount, lost)
    self.options = options
  }
}

/// The reason why a book of a record must not be written.
package struct RefusedBook: Error, Sendable, Equatable {
  /// Its index among the books of the record.
  package let index: Int
  /// A clause; empty if the options describe no book.
  package let reason: String

  package init(_ index: Int, _ reason: String) { (self.index, self.reason) = (index, reason) }
}

extension Run {
  /// Does what a merge is to do, by the records of its shards and without the script. Returns when all is done.
  ///
  /// - Parameter onStart: called before anything is reported.
  /// - Throws: `RefusedBook` if a record does not describe books that may be written. Nothing has been done then.
  package func merge(_ record: MergeRecord, of shards: any FinishedShards, onStart: () -> Void) throws(RefusedBook) {
    var documents: [any Document] = []
    try checkPlaces(of: record.books)
    for (index, book) in record.books.enumerated() {
      let job = Job(.book, position: book.position, qos: graph.currentQoS, parent: cancellation)
      guard let document = sinks.book.document(of: book, job, options) else { throw RefusedBook(index, "") }
      documents.append(document)
    }
    onStart()
    graph.countSources(record.sourceCount)
    options.requested.add(record.requestedCount)
    execution.open(documents.map(\.job), pictures: record.pictureCount)
    elsewhere.replay(shards)
    elsewhere.countFiles(of: shards, butBooks: Set(record.books.map(\.path)))
    for document in documents { document.merge([], shards, progress) }
    for _ in 0..<record.pictureCount { progress.observer(.pictureDone) }
    execution.waitForAll()
    progress.tellLosses()
  }

  /// Checks that recorded books pass the checks of a script's outputs, and lie in the folder of outputs. Their paths
  /// come from manifests, and another user may have put a link there.
  private func checkPlaces(of books: [RecordedBook]) throws(RefusedBook) {
    var inside = options
    inside.isConfined = true
    var places = OutputPlaces(inside)
    var known: Set<InternedPath> = []
    for (index, book) in books.enumerated() {
      let place = places.paths.place(of: book.path)
      if let reason = reason(against: book.path, at: place, places) { throw RefusedBook(index, reason) }
      guard known.insert(place).inserted else { throw RefusedBook(index, "another book of the record has this place") }
    }
  }

  private func reason(against path: String, at place: InternedPath, _ places: OutputPlaces) -> String? {
    if Self.hasControlCharacters(path) { return "the name has control characters" }
    if OutputPipe(path) != nil { return "it is a pipe" }
    if let problem = places.problem(at: place) ?? paths.reserved.reason(against: place) { return problem }
    return Self.mayReplace(place) ? nil : "there is a file that is no book"
  }

  /// Only a script may choose such names.
  private static func hasControlCharacters(_ path: String) -> Bool {
    path.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// Whether a place has no file, or an earlier book. The pictures, modules and plugins of the script are known only when
  /// it runs.
  private static func mayReplace(_ place: InternedPath) -> Bool {
    do throws(FileError) {
      let file = try InputFile(path: place.text)
      let beginning = try file.bytes(at: 0, count: 5)
      return beginning.isEmpty || beginning == Array("%PDF-".utf8)
    } catch {
      return error.isAbsence
    }
  }
}
