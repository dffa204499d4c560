import BookExpectations
import ImageCore
import Platform

/// The files of a folder and its subfolders, by their SHA-256 digests.
public struct SourceFolder: Sendable {
  /// The path as it was given.
  public let path: String
  private var names: [ShortDigest: String] = [:]
  /// Files and folders that could not be read, with the reasons.
  private var unread: [(name: String, reason: String)]
  /// The maximum number of unread files that are reported individually.
  private static let maximumTold = 8

  /// Reads every file once, see `FolderFiles`. Every report warns of files that cannot be read.
  ///
  /// - Throws: `FileError` if the folder itself cannot be read.
  public init(_ path: String) throws(FileError) {
    self.path = path
    guard let directory = openFolder(path) else { throw FileError(.open, path: path, code: errno) }
    closedir(directory)
    let folder = FolderFiles(in: path)
    unread = folder.unread.map { ($0.name, $0.error.description) }
    for file in folder.files { read(file) }
  }

  /// Returns the name of a file with this content in the folder.
  func name(of digest: ShortDigest?) -> String? { digest.flatMap { names[$0] } }

  /// The faults for files and folders that could not be read, or for a folder without files.
  var faults: [Fault] {
    if names.isEmpty, unread.isEmpty { return [.source(.noFiles(folder: path))] }
    let told = unread.prefix(Self.maximumTold).map {
      Fault.source(.unread($0.name, folder: path, reason: $0.reason))
    }
    let rest = unread.count - told.count
    return told + (rest > 0 ? [.source(.moreUnread(rest, folder: path))] : [])
  }

  private mutating func read(_ source: FolderFiles.File) {
    do {
      let file = try InputFile(path: source.path)
      let digest = ShortDigest(try SHA256.digest(of: file, count: file.byteCount))
      if names[digest] == nil { names[digest] = source.name }
    } catch {
      unread.append((source.name, "\(error)"))
    }
  }
}
