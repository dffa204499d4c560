import ImageCore
import Platform

/// The rules for where outputs may be written.
package struct OutputPlaces {
  var paths = RealPaths()
  /// The only folder for outputs, as it was given and as its real path; nil if any folder is allowed.
  private let confines: (given: String, real: String)?

  package init(_ options: RunOptions) {
    confines = options.isConfined ? (options.outputFolder, paths.folder(options.outputFolder) + "/") : nil
  }

  /// Returns whether two paths lead to the same file, through links or because the file has several names.
  package mutating func areSame(_ path: String, _ other: String) -> Bool {
    let (place, otherPlace) = (paths.place(of: path), paths.place(of: other))
    if place == otherPlace { return true }
    let identity = FileIdentity(at: place.text)
    return identity != nil && identity == FileIdentity(at: otherPlace.text)
  }

  /// Returns why a file must not be written, as a clause; nil if it may be.
  package mutating func problem(with path: String) -> String? { problem(at: paths.place(of: path)) }

  /// Returns a clause about another user's link in the path of an output.
  ///
  /// - Parameter remedy: what to do instead of removing the link.
  static func problem(withLink link: String, remedy: String = "save elsewhere") -> String {
    var status = stat()
    let owner = lstat(link, &status) == 0 ? " (\(printable(FileOwners.name(of: status.st_uid))))" : ""
    return "'\(printable(link))' is a link of another user\(owner), in a folder that others may write, and is not "
      + "followed; remove it, or \(remedy)"
  }

  /// Returns why files cannot be created in an existing folder, as a clause; nil if they can.
  package static func problem(withFolder path: String) -> String? {
    var paths = RealPaths()
    let place = InternedPath(paths.folder(path) + "/x")
    if let link = paths.strangersLink(in: place) { return problem(withLink: link, remedy: "name another folder") }
    let folder = openFile(path, openPathOnly | O_DIRECTORY | O_CLOEXEC, isForWriting: true)
    guard folder >= 0 else { return systemText(errno) }
    close(folder)
    return access(path, W_OK | X_OK) == 0 ? nil : systemText(errno)
  }

  func problem(at place: InternedPath) -> String? {
    if let link = paths.strangersLink(in: place) { return Self.problem(withLink: link) }
    guard let confines, !place.text.utf8.starts(with: confines.real.utf8) else { return nil }
    return "lies outside '\(printable(confines.given))', and --confine allows no output there"
  }
}
