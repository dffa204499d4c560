import Platform

/// The identity of a file under any of its names: the device and the inode number.
public struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let number: UInt64

  public init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(status.st_ino)
  }

  /// Looks up the file at a path, following links; nil if there is none. Wraps `stat(2)`.
  public init?(at path: String) {
    var status = stat()
    guard PathBytes.withBytes(of: path, { stat($0, &status) }) == 0 else { return nil }
    self.init(status)
  }
}
