import ImageCore
import Platform
import Scheduling

/// The requests of a front end since the last graph, each with its pictures. A picture is a file or an operation on
/// other pictures. Each request and each picture knows its place in the script.
struct Graph: Sendable {
  /// The requests, in the order of the calls.
  let requests: [OutputRequest]
  /// The language of dates in names and texts.
  let locale: TimeLocale
  /// Whether pictures are missing, which has been reported.
  let lacksPictures: Bool

  var jobs: [Job] { requests.map(\.job) }
  /// The greatest depth of the pictures: see `Picture.depth`.
  var depth: Int { requests.flatMap(\.pictures).map(\.depth).max() ?? 0 }
}

/// Facts about a request that only its sink understands. The engine hands them on.
package protocol RequestDetails: AnyObject, Sendable {
  /// Returns what recipes of the request's outputs have to say of these facts.
  func facts(for request: OutputRequest) -> RequestFacts
}

/// A call that asks for outputs.
package struct OutputRequest: Sendable {
  /// The name and the options of a call, shared by calls with equal ones.
  struct Target: Sendable, Equatable {
    /// The template of the files' names, or a document's path.
    let name: String
    let options: RawArguments
  }

  let target: Target
  package let pictures: [Picture]
  package let job: Job
  package let position: ScriptPosition?
  /// The facts that only the sink understands; nil for none.
  package let details: (any RequestDetails)?

  init(
    target: Target, pictures: [Picture], details: (any RequestDetails)?, job: Job, position: ScriptPosition?
  ) {
    self.target = target
    self.pictures = pictures
    self.details = details
    self.job = job
    self.position = position
  }

  package var name: String { target.name }
  package var options: RawArguments { target.options }
  /// The function as scripts write it.
  var subject: String { job.kind.rawValue }

  /// Returns the message about one of the pictures, which it names by its file or by its place.
  package func diagnostic(_ problem: String, _ picture: Picture, _ index: Int) -> Diagnostic {
    let unnamed = picture.origin == nil ? picture.name(at: index) + ": " : ""
    return Diagnostic(.input, at: position, subject: subject, file: picture.origin?.path, message: unnamed + problem)
  }
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

  /// Returns the name in messages about a document: that of the file that a picture was made of, or the picture's place
  /// if there is none.
  package static func name(of origin: PictureFile?, at index: Int) -> String {
    origin.map { "'\(printable($0.name))'" } ?? "picture \(index + 1)"
  }

  /// Returns the name in messages about a document: that of the file at a path, or the picture's place if there is
  /// none.
  package static func name(ofPath path: String?, at index: Int) -> String {
    guard let path else { return "picture \(index + 1)" }
    return "'\(printable(path == PipedInput.standardInput ? "stdin" : String(PathName.name(path))))'"
  }
}
