import Platform

/// The identity of a file, which is the same for all its paths: its device and inode numbers.
public struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let number: UInt64

  public init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(status.st_ino)
  }

  /// Looks up the file at a path, following links; nil if there is none or it cannot be reached. Wraps `stat(2)`.
  public init?(at path: String) {
    var status = stat()
    guard PathBytes.withBytes(of: path, { stat($0, &status) }) == 0 else { return nil }
    self.init(status)
  }

  /// Returns whether a path leads to a regular file. Wraps `stat(2)`.
  package static func isFile(_ path: String) -> Bool {
    var status = stat()
    return PathBytes.withBytes(of: path, { stat($0, &status) }) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}

/// The size and modification time of a file, which reveal a later change.
public struct FileVersion: Sendable, Equatable {
  public let byteCount: Int64
  /// The modification time in nanoseconds since 1970, by the file system's clock.
  public let modified: Int64

  /// Reads the version of a file; nil if the file does not exist or cannot be reached. Wraps `stat(2)`.
  public init?(path: String) {
    var status = stat()
    guard PathBytes.withBytes(of: path, { stat($0, &status) }) == 0 else { return nil }
    self.init(status)
  }

  public init(_ status: stat) {
    byteCount = Int64(status.st_size)
    let time = status.modificationTime
    modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
