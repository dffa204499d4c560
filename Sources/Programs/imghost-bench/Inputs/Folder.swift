import ImageCore
import Platform

enum Folder {
  /// Returns the sorted paths of the files in a folder whose names end with `suffix`; none if there is no such folder.
  static func files(_ folder: String, suffix: String) -> [String] {
    (folderNames(folder) ?? []).filter { $0.hasSuffix(suffix) }.map { folder + "/" + $0 }.sorted()
  }

  /// Returns whether a folder is missing or contains no files, not even hidden ones.
  static func isEmpty(_ folder: String) -> Bool { folderNames(folder)?.isEmpty ?? true }

  static let own = ownProgramFile.flatMap { PathName.folder($0) }.map(String.init) ?? ""

  static func sibling(_ name: String) -> String { own + "/" + name }

  /// The folder `.build` that contains this program, or this program's folder if it is not below a `.build`.
  static let build: String = {
    let parts = own.split(separator: "/", omittingEmptySubsequences: false)
    guard let index = parts.lastIndex(of: ".build") else { return own }
    return parts[...index].joined(separator: "/")
  }()

  /// Creates an empty folder, after removing any file or folder with this path.
  static func empty(_ path: String) throws(BenchFailure) {
    guard Measurement(["rm", "-rf", path]) != nil, make(path) else { throw .failed("folder \(path)") }
  }

  /// Creates a folder and its parents. Returns false if that failed.
  static func make(_ path: String) -> Bool {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/" + part
      mkdir(made, 0o777)
    }
    return RawFile.exists(path)
  }
}

/// A temporary folder for the files that measurements write.
struct Scratch {
  let path: String

  init() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/imghost-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { preconditionFailure("no temporary folder can be made in \(parent)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  func remove() { _ = Measurement(["rm", "-rf", path]) }
}
