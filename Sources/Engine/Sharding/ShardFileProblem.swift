import ImageCore
import ImagePipeline
import Platform

/// The reason why a file of shards, or a folder with such files, is not read: it cannot be opened, or another user may
/// have put it there.
package struct ShardFileProblem: Error, Sendable, Equatable {
  package enum Reason: Sendable, Equatable {
    case missing(code: Int32)
    case link
    case stranger(uid_t)
    /// All users may write to the file or folder.
    case worldWritable
  }
  package let path: String
  package let reason: Reason

  /// Returns the problem with an open file or folder; nil if it is trusted.
  ///
  /// - Parameter folder: the status of the folder that contains it.
  init?(_ status: stat, at path: String, in folder: stat?) {
    self.path = path
    if !FileOwners.areTrusted(status, in: folder) {
      reason = .stranger(status.st_uid)
    } else if status.st_mode & S_IWOTH != 0, !FileOwners.areNamed {
      // On a file system without permissions, the only remedy is to name trusted owners.
      reason = .worldWritable
    } else {
      return nil
    }
  }

  /// Finds the first untrusted item among a folder and the given files in it. Files that do not exist are skipped. Nil
  /// if all are trusted, or if the folder cannot be opened.
  package init?(inFolder path: String, files: [String]) {
    let folder = openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    defer { close(folder) }
    var (whole, status) = (stat(), stat())
    guard fstat(folder, &whole) == 0 else { return nil }
    if let problem = Self(whole, at: path, in: nil) {
      self = problem
      return
    }
    for name in files where fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 {
      if let problem = Self(status, at: path + "/" + name, in: whole) {
        self = problem
        return
      }
    }
    return nil
  }

  package init(_ path: String, _ reason: Reason) { (self.path, self.reason) = (path, reason) }

  /// The problem as a clause, with its remedy.
  package var text: String {
    let name = "'\(printable(path))'"
    switch reason {
    case .missing(let code): return "\(name): \(FileError(.open, path: path, code: code))"
    case .link:
      return "\(name) is a link; imghost keeps the files of shards in a folder of its own there: remove the link"
    case .stranger(let owner):
      let user = FileOwners.name(of: owner)
      return "\(name) belongs to another user, \(user); to trust that user's files, use --trust-owner \(user)"
    case .worldWritable:
      return "\(name) is writable by all users; run 'chmod o-w' on it, or name the owners to trust with --trust-owner"
    }
  }

  var pictureError: PictureError {
    if case .missing(let code) = reason { return .file(FileError(.open, path: path, code: code)) }
    return .operation(.unsuitable(text))
  }
}
