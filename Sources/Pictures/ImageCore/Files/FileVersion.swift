import Platform

/// The size and modification time of a file, by which a later change is noticed.
public struct FileVersion: Sendable, Equatable {
  public let byteCount: Int64
  /// Nanoseconds since 1970, by the file system's clock.
  public let modified: Int64

  /// Wraps `stat(2)`; nil for a file that is not there.
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
