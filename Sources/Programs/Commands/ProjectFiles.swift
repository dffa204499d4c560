import CommandInterface
import ImageCore
import ImagePipeline
import Platform

/// The files of a new project. Users edit them, so an edited file is replaced only with `--overwrite`.
struct ProjectFiles {
  typealias File = (path: String, text: String)

  static let overwrite = CommandOption(
    name: "--overwrite", value: nil, help: "replace the files of the project even if they were edited")

  let folder: String
  /// The files to write, with their paths in the folder.
  let files: [File]
  /// The files of other kinds of projects with the same name. They may be replaced, too, if they are unedited.
  var earlier: [File] = []
  /// The command as the user typed it, for messages.
  let command: String

  /// Writes the files, and creates the folder if it is missing.
  ///
  /// - Returns: false, after a message, if a file could not be written.
  /// - Throws: a `UsageError`, before anything is written, if a file was edited or the folder belongs to another
  ///   project.
  func write(mayOverwrite: Bool) throws(UsageError) -> Bool {
    if Self.isThere(folder) { try check(mayOverwrite) }
    for (path, text) in files {
      do throws(PictureError) {
        let file = try OutputFile(path: folder + "/" + path)
        try file.write(Array(text.utf8))
        try file.commit()
      } catch {
        Terminal.error("imghost \(command): \(printable(folder + "/" + path)): \(error)")
        return false
      }
    }
    return true
  }

  /// Checks that an existing folder contains a file of the project, and that the files to be replaced are unedited.
  /// With `mayOverwrite`, any folder is accepted.
  private func check(_ mayOverwrite: Bool) throws(UsageError) {
    let there = files.map(\.path).filter { Self.isThere(folder + "/" + $0) }
    guard FolderFiles.isFolder(folder), mayOverwrite || !there.isEmpty else {
      throw .other("'\(printable(folder))' already exists; choose another name")
    }
    guard !mayOverwrite else { return }
    let edited = there.filter { !isAsWritten($0) }
    guard let first = edited.first else { return }
    let name = "'\(printable(folder + "/" + first))'"
    let (subject, them) =
      edited.count == 1
      ? ("\(name) is", "it")
      : ("\(name) and \(edited.count - 1) more file\(edited.count == 2 ? "" : "s") are", "them")
    throw .other("\(subject) not as imghost writes \(them); choose another name, or replace \(them) with --overwrite")
  }

  private func isAsWritten(_ path: String) -> Bool {
    guard let file = try? InputFile(path: folder + "/" + path), file.byteCount <= 1 << 20,
      let bytes = try? file.bytes(at: 0, count: file.byteCount)
    else { return false }
    return (files + earlier).contains { $0.path == path && $0.text.utf8.elementsEqual(bytes) }
  }

  /// Returns whether a file with this name exists, even if it is a broken link.
  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return PathBytes.withBytes(of: path) { lstat($0, &status) } == 0
  }
}
