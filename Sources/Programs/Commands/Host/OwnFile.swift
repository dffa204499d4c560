import CommandInterface
import ImageCore
import ImagePipeline
import Platform

/// Files that the program itself writes in addition to the outputs, such as traces.
enum OwnFile {
  /// Opens a file under its temporary name.
  ///
  /// - Parameters:
  ///   - option: the option that requests the file, for messages.
  ///   - script: the script's path, which must not be replaced.
  ///   - others: the other files that the program itself writes, with their options.
  ///   - beginnings: the possible first bytes of an earlier file of this kind. A file that begins differently may be a
  ///     module, plugin or picture that this run reads, and is not replaced.
  ///   - isEarlier: returns whether the first 16 KiB of a file belong to this kind, for kinds without a fixed
  ///     beginning.
  ///   - what: the kind of file, for the message.
  ///   - isEditable: whether users edit such files; these are only replaced while they are unedited.
  static func open(
    _ path: String, for option: String, script: String, others: [(path: String, option: String)],
    in places: inout OutputPlaces, beginnings: [String], isEarlier: ([UInt8]) -> Bool = { _ in false }, what: String,
    isEditable: Bool = false
  ) throws(UsageError) -> OutputFile {
    let taken: [(path: String, option: String)] = [(script, "the script")] + others
    for other in taken where places.areSame(path, other.path) {
      throw .badValue(option: option, value: path, expected: "a file other than \(other.option)")
    }
    if let problem = places.problem(with: path) {
      throw .unusableFile(option: option, path: path, problem: problem)
    }
    do throws(PictureError) {
      return try open(path, beginnings, isEarlier, what: what, isEditable)
    } catch {
      throw .unusableFile(option: option, path: path, problem: error.description)
    }
  }

  private static func open(
    _ path: String, _ beginnings: [String], _ isEarlier: ([UInt8]) -> Bool, what: String, _ isEditable: Bool
  ) throws(PictureError) -> OutputFile {
    if OutputPipe.descriptor(of: path) != nil { return try OutputFile(path: path) }
    var status = stat()
    if path.hasSuffix("/") || (stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR) {
      throw .file(FileError(.create, path: path, code: EISDIR))
    }
    guard try mayReplace(path, beginnings, isEarlier) else {
      throw .operation(.unsuitable("the file exists and is not \(what); choose another name, or remove it"))
    }
    if isEditable, try !isAsWritten(path) {
      throw .operation(
        .unsuitable("the file was edited since imghost wrote it; choose another name, or replace it with --overwrite"))
    }
    return try OutputFile(path: path)
  }

  /// Returns whether the file is missing, empty, or unedited since an earlier run wrote it.
  private static func isAsWritten(_ path: String) throws(PictureError) -> Bool {
    guard let file = try? InputFile(path: path), file.byteCount > 0 else { return true }
    do throws(FileError) {
      return WrittenMark.fits(try file.bytes(at: 0, count: file.byteCount))
    } catch {
      throw .file(error)
    }
  }

  /// Returns whether the file is missing, empty, or was written by an earlier run.
  private static func mayReplace(_ path: String, _ beginnings: [String], _ isEarlier: ([UInt8]) -> Bool)
    throws(PictureError) -> Bool
  {
    let file: InputFile
    do throws(FileError) {
      file = try InputFile(path: path)
    } catch {
      guard error.code == ENOENT else { throw .file(error) }
      return true
    }
    guard let bytes = try? file.bytes(at: 0, count: min(16 << 10, file.byteCount)) else { return false }
    return bytes.isEmpty || beginnings.contains { bytes.starts(with: $0.utf8) } || isEarlier(bytes)
  }
}

extension OutputFile {
  /// Writes the contents and renames the file into place. If that fails, discards the file and returns the failure.
  ///
  /// - Parameters:
  ///   - option: the option that requests the file, for the message.
  ///   - read: files that must not be replaced.
  func finish(for option: String, _ read: RunFiles?, _ write: (OutputFile) throws(PictureError) -> Void)
    -> Diagnostic?
  {
    do throws(PictureError) {
      try write(self)
      try commit(read)
      return nil
    } catch {
      discard()
      return Diagnostic(.output, at: nil, subject: option, file: path, message: error.description)
    }
  }
}

/// The last line of a Lua file that imghost writes for users to edit: the digest of all lines before it. After an edit
/// the digest no longer matches, and the file is not replaced.
enum WrittenMark {
  private static let beginning = "-- imghost replaces this file only as long as it is unchanged: "

  static func marked(_ text: String) -> String { text + "\(beginning)\(SHA256.digest(of: Array(text.utf8)))\n" }

  /// Returns whether a file ends with the mark and is unchanged since imghost wrote it.
  static func fits(_ bytes: [UInt8]) -> Bool {
    let lines = bytes.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard bytes.last == UInt8(ascii: "\n"), let last = lines.last, last.starts(with: beginning.utf8) else {
      return false
    }
    let digest = SHA256.digest(of: Array(bytes[..<last.startIndex]))
    return last.dropFirst(beginning.utf8.count).elementsEqual("\(digest)".utf8)
  }
}
