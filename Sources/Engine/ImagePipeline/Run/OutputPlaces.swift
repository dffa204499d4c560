import ImageCore

/// The places where outputs may lie at all.
public struct OutputPlaces {
  var paths = RealPaths()
  /// The only folder that may be written into, as it was given and where it is; nil for any.
  private let confines: (given: String, real: String)?

  public init(_ options: RunOptions) {
    confines = options.isConfined ? (options.outputFolder, paths.folder(options.outputFolder) + "/") : nil
  }

  /// Whether two paths lead to one file, links followed, or are names of one.
  public mutating func areSame(_ path: String, _ other: String) -> Bool {
    let (place, otherPlace) = (paths.place(of: path), paths.place(of: other))
    if place == otherPlace { return true }
    let identity = FileIdentity(at: place.text)
    return identity != nil && identity == FileIdentity(at: otherPlace.text)
  }

  /// Returns why a file must not be written, as a clause; nil if it may.
  public mutating func problem(with path: String) -> String? { problem(at: paths.place(of: path)) }

  static func problem(withLink link: String) -> String {
    "'\(printable(link))' is a link of another user, in a folder that others may write, and is not followed; "
      + "remove it, or save elsewhere"
  }

  func problem(at place: SplitPath) -> String? {
    if let link = paths.strangersLink(in: place) { return Self.problem(withLink: link) }
    guard let confines, !place.text.utf8.starts(with: confines.real.utf8) else { return nil }
    return "lies outside '\(printable(confines.given))', and --confine allows no output there"
  }
}
