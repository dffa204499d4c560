import Platform

/// A failed system call on a file.
public struct FileError: Error, Sendable, Equatable {
  public enum Action: String, Sendable {
    case open, read, write, create, rename
    /// Waiting until the system has written a file, or the folder that contains it, to disk.
    case sync
    /// An operation on a temporary file in the folder `path`.
    case temporary
  }
  public let action: Action
  public let path: String
  /// The value of `errno`.
  public let code: Int32
  /// A lower limit of the file's size in bytes; nil if it is unknown.
  public var byteCount: Int?

  public init(_ action: Action, path: String, code: Int32) {
    self.action = action
    self.path = path
    self.code = code
  }

  /// Makes an error about a file in the folder of `TMPDIR`.
  public static func temporary(_ code: Int32, byteCount: Int? = nil) -> FileError {
    var error = FileError(.temporary, path: temporaryFolder, code: code)
    error.byteCount = byteCount
    return error
  }
}

extension FileError {
  /// Whether the file does not exist.
  public var isAbsence: Bool { code == ENOENT }
}

extension FileError: CustomStringConvertible {
  /// A message without the path, with a remedy for the most common codes.
  public var description: String { advice.map { "\(reason); \($0)" } ?? reason }

  /// The problem, without advice: for the most common codes in imghost's words, otherwise the system's text.
  public var reason: String {
    switch code {
    case _ where action == .temporary: "a temporary file in '\(path)' cannot be used: \(systemText(code))"
    case ENOENT where action == .create: "the folder does not exist"
    case ENOENT: "the file does not exist"
    case ENOTDIR: "a part of its path is a file, not a folder"
    case ELOOP where action == .create: "a folder in its path was replaced by a link"
    case ESTALE where action == .rename: "its folder was removed or renamed while it was written"
    case ENAMETOOLONG: "the name is too long"
    case EFBIG: "the file exceeds the size limit"
    case EISDIR: "it is a folder, not a file"
    case EINVAL where action == .open: "it is not a regular file"
    case ENOTTY where action == .open: "standard input is a terminal"
    case EOVERFLOW where action == .read: "more than 1 GiB has come through the pipe"
    case EACCES where action == .sync: "its folder cannot be synced, because it may not be listed"
    case EACCES, EPERM: "permission denied"
    case EROFS: "the file system is read-only"
    case ENOSPC: "the disk is full"
    case EDQUOT: "the disk quota is exceeded"
    case EMFILE, ENFILE: "too many open files"
    default: systemText(code)
    }
  }

  private var advice: String? {
    switch code {
    case _ where action == .temporary: "set TMPDIR to another folder" + room
    case EFBIG: "see ulimit -f"
    case ENOTTY where action == .open: "give it a file or a pipe, such as '<a.jpg'"
    case EOVERFLOW where action == .read: "write it to a file first"
    case EACCES where action == .sync: "run without --durable, or save elsewhere"
    case ENOSPC: "free some space or write elsewhere with --out"
    case EMFILE, ENFILE: "raise the limit with ulimit -n"
    default: nil
    }
  }

  /// The size that a temporary file needs, as part of the message; empty if the size is unknown, below 10 MB or not the
  /// cause.
  private var room: String {
    guard code == ENOSPC || code == EDQUOT || code == EFBIG, let byteCount, byteCount >= 10_000_000 else { return "" }
    return ", with room for \((byteCount + 999_999) / 1_000_000) MB or more"
  }
}

/// Returns the system's text for an `errno` value; wraps `strerror_r(3)`. The text for a link of another user is
/// imghost's own, because the system has none.
public func systemText(_ code: Int32) -> String {
  if code == strangersLink {
    return "a link in its path belongs to another user, in a folder that others may write, and is not followed; use "
      + "the path without the link"
  }
  return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    buffer.initialize(repeating: 0)
    _ = strerror_r(code, buffer.baseAddress!, buffer.count)
    return String(cString: buffer.baseAddress!)
  }
}
