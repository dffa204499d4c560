import ImageCore
import Platform

/// The kinds of files that list outputs.
enum FileListKind {
  case manifest
  case digests

  /// By the ending of a path; nil for another.
  init?(path: String) {
    switch PathName.fileExtension(path) {
    case "json": self = .manifest
    case "sha256": self = .digests
    default: return nil
    }
  }
}

/// The folder of a list of files, from which its paths lead: so the folder can be moved with all that is in it.
struct ListFolder {
  /// As the list's path has it; nil for the current folder.
  private let given: String?

  /// - Parameter list: the path of the list.
  init(of list: String) {
    let folder = PathName.folder(list).map { $0.isEmpty ? "/" : String($0) }
    given = folder == "." ? nil : folder
  }

  /// Returns the path from the folder to a file whose path leads from the current one.
  func path(to file: String) -> String {
    guard let given, file != PipedInput.standardInput, let here = Self.real(".") else { return file }
    let folder = PathName.parts(PathName.absolute(given, in: here))
    let parts = PathName.parts(PathName.absolute(file, in: here))
    if parts.count > folder.count, Self.commonCount(parts, folder) == folder.count {
      return Self.joined(parts[folder.count...])
    }
    // A file elsewhere that the script names by an absolute path stays there.
    guard !PathName.isAbsolute(file), let real = Self.real(given) else { return file }
    let from = PathName.parts(real)
    let common = Self.commonCount(parts, from)
    return Self.joined(from[common...].map { _ in ".." } + parts[common...])
  }

  private static func joined(_ parts: some Sequence<Substring>) -> String { parts.joined(separator: "/") }

  private static func commonCount(_ one: [Substring], _ other: [Substring]) -> Int {
    zip(one, other).prefix { $0.utf8.elementsEqual($1.utf8) }.count
  }

  /// Returns the path without links; nil if there is no such folder. Wraps `realpath(3)`.
  static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return PathBytes.text(found)
  }
}
