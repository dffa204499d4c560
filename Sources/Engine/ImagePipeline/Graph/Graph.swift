import ImageCore
import Platform
import Scheduling

/// The requests that a front end has made since the last graph, with their pictures. A picture is a file, or an
/// operation on other pictures. Each request and each picture knows its position in the script.
struct Graph: Sendable {
  /// The requests, in the order of the calls.
  let requests: [OutputRequest]
  /// The language of dates in names and texts.
  let locale: TimeLocale
  /// Whether pictures may be missing, for a reason that has already been reported.
  let lacksPictures: Bool

  /// The greatest `Picture.depth` of the requested pictures.
  var depth: Int { requests.flatMap(\.pictures).map(\.depth).max() ?? 0 }
}

/// Facts about a request that only its sink understands. The engine uses only the members of this protocol.
package protocol RequestDetails: AnyObject, Sendable {
  /// The function that made the request, by its name in scripts; nil if the job's kind has the same name.
  var function: String? { get }
  /// Returns the facts that affect the request's outputs, for their `OutputRecipe`.
  func facts(for request: OutputRequest) -> RequestFacts
}

/// A call that requests outputs.
package struct OutputRequest: Sendable {
  /// The name and options of a call. Successive calls with equal names and options share the memory of one target.
  struct Target: Sendable, Equatable {
    /// The template of the files' names, or the path of a document.
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
  /// The function that made the request, by its name in scripts.
  var subject: String { details?.function ?? job.kind.rawValue }

  /// Returns a message about one of the pictures, identified by its file or its number.
  package func diagnostic(_ problem: String, _ picture: Picture, _ index: Int) -> Diagnostic {
    let unnamed = picture.origin == nil ? picture.name(at: index) + ": " : ""
    return Diagnostic(.input, at: position, subject: subject, file: picture.origin?.path, message: unnamed + problem)
  }
}

extension Picture {
  /// Returns the picture's name in messages about a document: its source file, or its number if there is none.
  ///
  /// - Parameter index: the picture's index, from 0; its number in the message is one more.
  package func name(at index: Int) -> String { PictureFile.name(of: origin, at: index) }
}

extension PictureFile {
  /// The file's name, with the page if the file has several: `scan.tif, page 2`.
  var label: String {
    let isOneOfSeveral = selection.page > 1 || (try? read().header.pageCount > 1) ?? false
    return isOneOfSeveral ? "\(name), page \(selection.page)" : name
  }

  /// Returns a picture's name in messages about a document: its source file, or `index` + 1 if there is none.
  package static func name(of origin: PictureFile?, at index: Int) -> String {
    origin.map { "'\(printable($0.name))'" } ?? "picture \(index + 1)"
  }

  /// Returns a picture's name in messages about a document: the file at a path, or `index` + 1 without a path.
  package static func name(ofPath path: String?, at index: Int) -> String {
    guard let path else { return "picture \(index + 1)" }
    return "'\(printable(path == PipedInput.standardInput ? "stdin" : String(PathName.name(path))))'"
  }
}
