import ImageCore
import Scheduling

/// A way to write pictures to files: `save` is one, `book` another.
///
/// A run has one of each, which only the script's thread uses.
package protocol Sink: AnyObject {
  /// Checks one call without decoding a pixel; mistakes, notes and outputs go to the checker.
  func check(_ call: SinkCall, with checker: inout SinkChecker)

  /// Checks what calls say about each other, after the last call of a batch.
  func checkTogether(with checker: inout SinkChecker)

  /// Returns a document as shards have recorded it, whose pages come from their packs; nil if the record is none of it.
  func document(of book: RecordedBook, _ job: Job, _ options: RunOptions) -> (any Document)?
}

extension Sink {
  package func document(of book: RecordedBook, _ job: Job, _ options: RunOptions) -> (any Document)? { nil }
}

/// A sink that the program hands to the engine.
package struct SinkDefinition: Sendable {
  /// Makes the sink of one run.
  package let makeSink: @Sendable () -> any Sink
  private let declare: @Sendable () -> [ParameterDescriptor]

  /// - Parameter parameters: the options of a call. Declared when first used: a script without a book starts faster.
  package init(
    parameters: @autoclosure @escaping @Sendable () -> [ParameterDescriptor],
    makeSink: @escaping @Sendable () -> any Sink
  ) {
    declare = parameters
    self.makeSink = makeSink
  }

  /// The options of a call.
  package var parameters: [ParameterDescriptor] { declare() }
}

/// Consecutive pictures of a call that belong together.
package struct PictureGroup: Sendable, Hashable {
  package let name: String
  package let count: Int

  package init(name: String, count: Int) {
    self.name = name
    self.count = count
  }
}

/// One call of `save` or `book`, recorded while the script runs.
package struct SinkCall: Sendable {
  /// The words of a call, shared by calls that say the same.
  struct Target: Sendable, Equatable {
    /// The template of the files' names, or a document's path.
    let name: String
    let options: RawArguments
  }

  let target: Target
  package let pictures: [Picture]
  package let job: Job
  package let position: ScriptPosition?
  /// The book inside a cover.
  package internal(set) var coverOf: Job?
  /// Whether it is a book that nobody binds.
  package internal(set) var isContactSheet = false
  /// The groups that the pictures are in; empty for none.
  package internal(set) var groups: [PictureGroup] = []
  /// The pages that the script declares, in order.
  package internal(set) var pages: [PlacedPage] = []

  init(target: Target, pictures: [Picture], job: Job, position: ScriptPosition?) {
    self.target = target
    self.pictures = pictures
    self.job = job
    self.position = position
  }

  /// The name of the group that a picture is in; nil without groups.
  package func group(ofPicture index: Int) -> String? { groupPlace(ofPicture: index).map { groups[$0].name } }

  /// The place of that group.
  package func groupPlace(ofPicture index: Int) -> Int? {
    var end = 0
    return groups.firstIndex { group in
      end += group.count
      return index < end
    }
  }

  /// The caption that a declared page gives to a picture; nil for none.
  package func caption(ofPicture index: Int) -> String? {
    guard let placed = pages.first(where: { $0.pictures.contains(index) }), !placed.page.slots.isEmpty else {
      return nil
    }
    return placed.page.slots[index - placed.pictures.lowerBound].caption
  }

  package var name: String { target.name }
  package var options: RawArguments { target.options }
  /// The function as scripts write it: `save` or `book`.
  var subject: String { job.kind.rawValue }

  /// Settles the job as a dry run does.
  func markPlanned() { job.state.withLock { $0.result.isPlanned = true } }

  /// Returns the message about one of the pictures, by its file or by its place.
  package func diagnostic(_ problem: String, _ picture: Picture, _ index: Int) -> Diagnostic {
    let unnamed = picture.origin == nil ? picture.name(at: index) + ": " : ""
    return Diagnostic(.input, at: position, subject: subject, file: picture.origin?.path, message: unnamed + problem)
  }
}

/// The path of an output and the script's call that writes it.
struct OutputClaim: Sendable {
  let job: Job
  /// The file that the picture was made of.
  let source: PictureFile?
  /// As the script gave it.
  let path: InternedPath
  /// The number of outputs whose names get their digests here; 0 if the path is that of one file.
  let hashedCount: Int

  /// Whether another job may write there, because this one was cancelled and writes no more.
  var isGivenUp: Bool { job.isFinished && job.result.isCancelled }
}

extension Picture {
  /// The name in messages about a document: the file that it was made of, or its place, counted from 0.
  package func name(at index: Int) -> String { PictureFile.name(of: origin, at: index) }
}

extension PictureFile {
  /// The name, with the page where the file has several: `scan.tif, page 2`.
  var label: String {
    let isOneOfSeveral = selection.page > 1 || (try? read().header.pageCount > 1) ?? false
    return isOneOfSeveral ? "\(name), page \(selection.page)" : name
  }

  /// The same of the file that a picture was made of; nil for none.
  package static func name(of origin: PictureFile?, at index: Int) -> String {
    origin.map { "'\(printable($0.name))'" } ?? "picture \(index + 1)"
  }

  /// Returns the same of a file by its path.
  package static func name(ofPath path: String?, at index: Int) -> String {
    guard let path else { return "picture \(index + 1)" }
    return "'\(printable(path == PipedInput.standardInput ? "stdin" : String(PathName.name(path))))'"
  }
}
