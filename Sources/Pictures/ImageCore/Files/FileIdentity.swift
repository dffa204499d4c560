import Platform

/// Which file it is, by whatever name: its device and its number there.
public struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let number: UInt64

  public init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(status.st_ino)
  }

  /// The identity of the file that a path leads to, links followed; nil where there is none. Wraps `stat(2)`.
  public init?(at path: String) {
    var status = stat()
    guard PathBytes.withBytes(of: path, { stat($0, &status) }) == 0 else { return nil }
    self.init(status)
  }
}
