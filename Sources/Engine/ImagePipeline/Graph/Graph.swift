import ImageCore
import Platform
import Scheduling

/// The requests of a front end since the last graph, each with its pictures. A picture is a file or an operation on other
/// pictures. Every part has its place in the script.
struct Graph: Sendable {
  /// In the order of the calls.
  let requests: [OutputRequest]
  /// The wishes for pictures in books.
  let hints: PictureHints
  /// The language of dates in names and texts.
  let locale: TimeLocale
  /// Whether pictures are missing that have been reported as such.
  let lacksPictures: Bool

  var jobs: [Job] { requests.map(\.job) }
  /// The longest chain of operations.
  var depth: Int { requests.flatMap(\.pictures).map(\.depth).max() ?? 0 }
}

/// A call that asks for outputs: `save`, `book`, `animation`, `multipage` or `tiles`.
package struct OutputRequest: Sendable {
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

  /// Returns the message about one of the pictures, by its file or by its place.
  package func diagnostic(_ problem: String, _ picture: Picture, _ index: Int) -> Diagnostic {
    let unnamed = picture.origin == nil ? picture.name(at: index) + ": " : ""
    return Diagnostic(.input, at: position, subject: subject, file: picture.origin?.path, message: unnamed + problem)
  }
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
