import ImageCore
import Platform

/// The kinds of files that list outputs.
enum FileListKind {
  case manifest
  case digests

  /// Recognizes the kind by the extension of a path; nil for any other extension.
  init?(path: String) {
    switch PathName.fileExtension(path) {
    case "json": self = .manifest
    case "sha256": self = .digests
    default: return nil
    }
  }
}

/// The folder of a list of files. Paths in the list are relative to it, so that the folder can be moved as a whole.
struct ListFolder {
  /// The folder as written in the list's path; nil for the current folder.
  private let given: String?

  /// - Parameter list: the path of the list.
  init(of list: String) {
    let folder = PathName.folder(list).map { $0.isEmpty ? "/" : String($0) }
    given = folder == "." ? nil : folder
  }

  /// Returns the path of a file relative to this folder, from its path relative to the current one.
  func path(to file: String) -> String {
    guard let given, file != PipedInput.standardInput, let here = Self.real(".") else { return file }
    let folder = PathName.parts(PathName.absolute(given, in: here))
    let parts = PathName.parts(PathName.absolute(file, in: here))
    if parts.count > folder.count, Self.commonCount(parts, folder) == folder.count {
      return Self.joined(parts[folder.count...])
    }
    // A file outside this folder keeps its path if the script names it by an absolute path.
    guard !PathName.isAbsolute(file), let real = Self.real(given) else { return file }
    let from = PathName.parts(real)
    let common = Self.commonCount(parts, from)
    return Self.joined(from[common...].map { _ in ".." } + parts[common...])
  }

  private static func joined(_ parts: some Sequence<Substring>) -> String { parts.joined(separator: "/") }

  private static func commonCount(_ one: [Substring], _ other: [Substring]) -> Int {
    zip(one, other).prefix { $0.utf8.elementsEqual($1.utf8) }.count
  }

  /// Returns the path with links resolved; nil if it does not exist. Wraps `realpath(3)`.
  static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return PathBytes.text(found)
  }
}
