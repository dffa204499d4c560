import Platform

/// The identity of a file, which is the same for all its paths: its device and inode numbers.
public struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let number: UInt64

  public init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(status.st_ino)
  }

  /// Looks up the file at a path, following links; nil if there is none or it cannot be reached.
  public init?(at path: String) {
    guard let status = fileStatus(path) else { return nil }
    self.init(status)
  }

  /// Returns whether a path leads to a regular file.
  package static func isFile(_ path: String) -> Bool {
    fileStatus(path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
  }
}

/// The size and modification time of a file, which reveal a later change.
public struct FileVersion: Sendable, Equatable {
  public let byteCount: Int64
  /// The modification time in nanoseconds since 1970, by the file system's clock.
  public let modified: Int64

  /// Reads the version of a file; nil if the file does not exist or cannot be reached.
  public init?(path: String) {
    guard let status = fileStatus(path) else { return nil }
    self.init(status)
  }

  public init(_ status: stat) {
    byteCount = Int64(status.st_size)
    let time = status.modificationTime
    modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

/// Returns the status of a path, following links; nil on failure, with the reason in `errno`. Wraps `stat(2)`.
func fileStatus(_ path: String) -> stat? {
  var status = stat()
  return PathBytes.withBytes(of: path) { stat($0, &status) } == 0 ? status : nil
}
